use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::runtime::watcher::Event;

/// Counts what happens and how long after its sending each change was seen.
#[derive(Default)]
pub struct Meter {
    hasher: RandomState,
    seen: Mutex<Seen>,
    grown: Condvar,
    events: AtomicU64,
    reconciles: AtomicU64,
    storming: AtomicBool,
    round: Mutex<usize>, // reconciles still to come
    drained: Condvar,
}

#[derive(Default)]
struct Seen {
    last_sent: HashMap<u64, i64>, // by hash of the key
    latencies: Vec<i64>,          // ns
}

impl Meter {
    pub fn observe(&self, metadata: &ObjectMeta, sent: &str) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64);
        let sent = sent.parse().unwrap_or(0);
        let hash = self.hasher.hash_one((&metadata.namespace, &metadata.name));
        let mut seen = self.seen.lock().unwrap();
        let Seen { last_sent, latencies } = &mut *seen;
        match last_sent.entry(hash) {
            Entry::Vacant(vacant) => {
                vacant.insert(sent);
                self.grown.notify_one();
            }
            Entry::Occupied(mut last) if *last.get() != sent => {
                last.insert(sent);
                latencies.push(now - sent);
            }
            Entry::Occupied(_) => {}
        }
    }

    /// Returns once so many different keys have been seen.
    pub fn await_keys(&self, count: usize) {
        let seen = self.seen.lock().unwrap();
        drop(self.grown.wait_while(seen, |seen| seen.last_sent.len() < count).unwrap());
    }

    pub fn count_event<K>(&self, event: &Event<K>) {
        if matches!(event, Event::Apply(_) | Event::InitApply(_) | Event::Delete(_)) {
            self.events.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub fn finished(&self) {
        self.reconciles.fetch_add(1, Ordering::Relaxed);
        if self.storming() {
            let mut left = self.round.lock().unwrap();
            *left -= 1;
            if *left == 0 {
                self.drained.notify_one();
            }
        }
    }

    pub fn storming(&self) -> bool {
        self.storming.load(Ordering::Relaxed)
    }

    pub fn begin_round(&self, reconciles: usize) {
        *self.round.lock().unwrap() = reconciles;
        self.storming.store(true, Ordering::SeqCst);
    }

    pub fn await_round(&self) {
        let left = self.round.lock().unwrap();
        drop(self.drained.wait_while(left, |left| *left > 0).unwrap());
        self.storming.store(false, Ordering::SeqCst);
    }

    pub fn take_stats(&self) -> String {
        let mut sorted = std::mem::take(&mut self.seen.lock().unwrap().latencies);
        sorted.sort_unstable();
        format!(
            concat!(
                "{{\"event\":\"stats\",\"reconciles\":{},\"events\":{},\"p50_us\":{:.1},\"p99_us\":{:.1},",
                "\"p999_us\":{:.1},\"count\":{},\"cpu_seconds\":{:.6}}}"
            ),
            self.reconciles.swap(0, Ordering::Relaxed),
            self.events.swap(0, Ordering::Relaxed),
            microseconds(&sorted, 500),
            microseconds(&sorted, 990),
            microseconds(&sorted, 999),
            sorted.len(),
            cpu_seconds()
        )
    }
}

/// The nearest-rank quantile, given in thousandths.
fn microseconds(sorted: &[i64], thousandths: usize) -> f64 {
    let rank = (sorted.len() * thousandths).div_ceil(1000);
    sorted.get(rank.max(1) - 1).map_or(0.0, |ns| *ns as f64 / 1000.0)
}

fn cpu_seconds() -> f64 {
    // SAFETY: getrusage fills the structure it is given, and all-zero is a valid value of it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
