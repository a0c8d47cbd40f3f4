package main

import (
	"context"
	"sync/atomic"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// Reads ten fields of the Pod it is called for. In a storm it also lists the Pods of the same app by index.
type reconciler struct {
	cache client.Reader
	model model
	queue workqueue.TypedRateLimitingInterface[ctrl.Request]
	meter
	events   atomic.Int64
	total    atomic.Int64 // reconciles ever
	counted  atomic.Int64 // reconciles since the last stats
	storming atomic.Bool
	target   atomic.Int64 // of total, where a storm round ends
	drained  chan struct{}
	sink     atomic.Int64 // keeps the reads from being optimised away
}

func newReconciler(c client.Reader, m model) *reconciler {
	return &reconciler{cache: c, model: m, meter: newMeter(), drained: make(chan struct{}, 1)}
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	defer r.finished()
	f, err := r.model.read(ctx, r.cache, request.NamespacedName)
	if err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	r.sink.Store(f.priority + int64(f.start.Nanosecond()+len(f.app)+len(f.owner)+len(f.node)+len(f.account)+
		len(f.phase)+len(f.podIP)+len(f.hostIP)))
	r.observe(request.NamespacedName, f.sent)
	if r.storming.Load() {
		n, err := r.model.countApp(ctx, r.cache, request.Namespace, f.app)
		if err != nil {
			return ctrl.Result{}, err
		}
		r.sink.Store(int64(n))
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) finished() {
	r.counted.Add(1)
	if r.total.Add(1) == r.target.Load() {
		r.drained <- struct{}{}
	}
}

// Every key once, and waits until all have been reconciled.
func (r *reconciler) reconcileAll(keys []ctrl.Request) {
	if len(keys) == 0 {
		return
	}
	r.storming.Store(true)
	defer r.storming.Store(false)
	r.target.Store(r.total.Load() + int64(len(keys)))
	for _, key := range keys {
		r.queue.Add(key)
	}
	<-r.drained
}

func (r *reconciler) takeStats() string {
	return r.report(r.counted.Swap(0), r.events.Swap(0))
}

func countEvents(events *atomic.Int64) predicate.Predicate {
	count := func() bool {
		events.Add(1)
		return true
	}
	return predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return count() },
		UpdateFunc: func(event.UpdateEvent) bool { return count() },
		DeleteFunc: func(event.DeleteEvent) bool { return count() },
	}
}
