// Podwatch on controller-runtime: the peer that our own podwatch is measured against. See ../README.md for the
// arguments and the protocol on stdin and stdout.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

var started = time.Now()

type settings struct {
	kubeconfig   string
	namespace    string
	workers      int
	unstructured bool
}

func parseSettings() settings {
	var s settings
	// controller-runtime registers --kubeconfig for itself; a flag set of our own avoids the clash.
	flags := flag.NewFlagSet("podwatch", flag.ExitOnError)
	flags.StringVar(&s.kubeconfig, "kubeconfig", "", "path of the kubeconfig")
	flags.StringVar(&s.namespace, "namespace", "", "name space to watch; all when empty")
	flags.IntVar(&s.workers, "workers", 2, "concurrent reconciles")
	flags.BoolVar(&s.unstructured, "unstructured", false, "cache Pods as maps instead of typed structs")
	_ = flags.Parse(os.Args[1:])
	return s
}

func main() {
	if err := run(ctrl.SetupSignalHandler(), parseSettings()); err != nil {
		fmt.Fprintln(os.Stderr, "podwatch:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s settings) error {
	log.SetLogger(logr.Discard())
	model := modelFor(s.unstructured)
	mgr, err := newManager(s, model)
	if err != nil {
		return err
	}
	if err := mgr.GetCache().IndexField(ctx, model.object(), appIndex, model.appValues); err != nil {
		return err
	}
	r := newReconciler(mgr.GetCache(), model)
	if err := addController(mgr, s, r); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	go func() { failed <- mgr.Start(ctx) }()
	commanded := make(chan error, 1)
	go func() { commanded <- serve(ctx, mgr.GetCache(), r) }()
	select {
	case err = <-failed:
		return err
	case err = <-commanded:
		cancel()
		<-failed
		return err
	}
}

// The settings a careful user would choose: no client-side rate limit, no managed fields in the cache, no copies on
// reads, no metrics server.
func newManager(s settings, m model) (ctrl.Manager, error) {
	config, err := clientcmd.BuildConfigFromFlags("", s.kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	noCopies := true
	options := cache.Options{
		ByObject: map[client.Object]cache.ByObject{
			m.object(): {Transform: cache.TransformStripManagedFields(), UnsafeDisableDeepCopy: &noCopies},
		},
	}
	if s.namespace != "" {
		options.DefaultNamespaces = map[string]cache.Config{s.namespace: {}}
	}
	return ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		Cache:                  options,
		Metrics:                server.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		Logger:                 logr.Discard(),
	})
}

func addController(mgr ctrl.Manager, s settings, r *reconciler) error {
	queue := source.Func(func(_ context.Context, q workqueue.TypedRateLimitingInterface[ctrl.Request]) error {
		r.queue = q
		return nil
	})
	return ctrl.NewControllerManagedBy(mgr).
		Named("podwatch").
		For(r.model.object(), builder.WithPredicates(countEvents(&r.events))).
		WatchesRawSource(queue).
		WithOptions(controller.Options{MaxConcurrentReconciles: s.workers}).
		Complete(r)
}

// Reports the first filling, then answers commands until quit or the end of stdin.
func serve(ctx context.Context, c cache.Cache, r *reconciler) error {
	// Asking for the informer also starts it, so that waiting has something to wait for.
	if _, err := c.GetInformer(ctx, r.model.object()); err != nil {
		return err
	}
	if !c.WaitForCacheSync(ctx) {
		return fmt.Errorf("the cache never synced")
	}
	keys, err := r.model.keys(ctx, c)
	if err != nil {
		return err
	}
	fmt.Printf("{\"event\":\"synced\",\"objects\":%d,\"seconds\":%.6f}\n", len(keys), time.Since(started).Seconds())
	r.awaitKeys(len(keys))
	fmt.Println(`{"event":"settled"}`)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if done, err := obey(ctx, c, r, strings.Fields(lines.Text())); done || err != nil {
			return err
		}
	}
	return lines.Err()
}

func obey(ctx context.Context, c cache.Cache, r *reconciler, words []string) (quit bool, err error) {
	switch {
	case len(words) == 1 && words[0] == "stats":
		fmt.Println(r.takeStats())
	case len(words) == 2 && words[0] == "storm":
		rounds, err := strconv.Atoi(words[1])
		if err != nil {
			return false, err
		}
		return false, storm(ctx, c, r, rounds)
	case len(words) == 2 && words[0] == "queue":
		items, err := strconv.Atoi(words[1])
		if err != nil {
			return false, err
		}
		runQueue(items)
	case len(words) == 1 && words[0] == "quit":
		return true, nil
	default:
		return false, fmt.Errorf("unknown command %q: stats, storm ROUNDS, queue ITEMS or quit", words)
	}
	return false, nil
}

func storm(ctx context.Context, c cache.Cache, r *reconciler, rounds int) error {
	keys, err := r.model.keys(ctx, c)
	if err != nil {
		return err
	}
	begin := time.Now()
	for range rounds {
		r.reconcileAll(keys)
	}
	fmt.Printf("{\"event\":\"storm\",\"reconciles\":%d,\"seconds\":%.6f}\n", rounds*len(keys), time.Since(begin).Seconds())
	return nil
}

// What a key costs in the controller's queue, from being added to being done, with a hundred waiting at a time.
func runQueue(items int) {
	queue := priorityqueue.New[ctrl.Request]("bench")
	defer queue.ShutDown()
	keys := make([]ctrl.Request, 100)
	for i := range keys {
		keys[i].Namespace, keys[i].Name = "default", "pod-"+strconv.Itoa(i)
	}
	begin := time.Now()
	done := 0
	for done < items {
		for _, key := range keys {
			queue.Add(key)
		}
		for range keys {
			key, _ := queue.Get()
			queue.Forget(key)
			queue.Done(key)
			done++
		}
	}
	fmt.Printf("{\"event\":\"queue\",\"items\":%d,\"seconds\":%.6f}\n", done, time.Since(begin).Seconds())
}

func modelFor(isUnstructured bool) model {
	if !isUnstructured {
		return typed{}
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	return untyped{prototype: object}
}
