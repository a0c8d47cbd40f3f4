package main

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// How long after its sending each change was seen.
type meter struct {
	seed      maphash.Seed
	mutex     *sync.Mutex
	grown     *sync.Cond       // lastSent has a new key
	lastSent  map[uint64]int64 // by hash of the key
	latencies []int64          // ns
}

func newMeter() meter {
	mutex := &sync.Mutex{}
	return meter{seed: maphash.MakeSeed(), mutex: mutex, grown: sync.NewCond(mutex), lastSent: map[uint64]int64{}}
}

func (m *meter) observe(key types.NamespacedName, sentText string) {
	now := time.Now().UnixNano()
	sent, _ := strconv.ParseInt(sentText, 10, 64)
	hash := maphash.Comparable(m.seed, key)
	m.mutex.Lock()
	defer m.mutex.Unlock()
	last, known := m.lastSent[hash]
	if known && last == sent {
		return
	}
	m.lastSent[hash] = sent
	if known {
		m.latencies = append(m.latencies, now-sent)
	} else {
		m.grown.Signal()
	}
}

// Returns once so many different keys have been seen.
func (m *meter) awaitKeys(n int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for len(m.lastSent) < n {
		m.grown.Wait()
	}
}

func (m *meter) report(reconciles, events int64) string {
	m.mutex.Lock()
	sorted := m.latencies
	m.latencies = nil
	m.mutex.Unlock()
	slices.Sort(sorted)
	return fmt.Sprintf(`{"event":"stats","reconciles":%d,"events":%d,"p50_us":%.1f,"p99_us":%.1f,"p999_us":%.1f,"count":%d,"cpu_seconds":%.6f}`,
		reconciles, events, microseconds(sorted, 500), microseconds(sorted, 990), microseconds(sorted, 999), len(sorted), cpuSeconds())
}

// The nearest-rank quantile, given in thousandths.
func microseconds(sorted []int64, thousandths int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	rank := (len(sorted)*thousandths + 999) / 1000
	return float64(sorted[max(rank, 1)-1]) / 1000
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}
