package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	appIndex       = "app"
	sentAnnotation = "bench/sent"
)

// The ten fields that the reconciler reads.
type fields struct {
	app, sent, owner, node, account, phase, podIP, hostIP string
	priority                                              int64
	start                                                 time.Time
}

// How Pods are held and read: as typed structs or as maps.
type model interface {
	object() client.Object
	appValues(client.Object) []string
	read(ctx context.Context, c client.Reader, key types.NamespacedName) (fields, error)
	countApp(ctx context.Context, c client.Reader, namespace, app string) (int, error)
	keys(ctx context.Context, c client.Reader) ([]ctrl.Request, error)
}

type typed struct{}

func (typed) object() client.Object { return &corev1.Pod{} }

func (typed) appValues(o client.Object) []string { return []string{o.GetLabels()["app"]} }

func (typed) read(ctx context.Context, c client.Reader, key types.NamespacedName) (fields, error) {
	var pod corev1.Pod
	if err := c.Get(ctx, key, &pod); err != nil {
		return fields{}, err
	}
	f := fields{
		app: pod.Labels["app"], sent: pod.Annotations[sentAnnotation],
		node: pod.Spec.NodeName, account: pod.Spec.ServiceAccountName,
		phase: string(pod.Status.Phase), podIP: pod.Status.PodIP, hostIP: pod.Status.HostIP,
	}
	if len(pod.OwnerReferences) > 0 {
		f.owner = string(pod.OwnerReferences[0].UID)
	}
	if pod.Spec.Priority != nil {
		f.priority = int64(*pod.Spec.Priority)
	}
	if pod.Status.StartTime != nil {
		f.start = pod.Status.StartTime.Time
	}
	return f, nil
}

func (typed) countApp(ctx context.Context, c client.Reader, namespace, app string) (int, error) {
	var list corev1.PodList
	err := c.List(ctx, &list, client.InNamespace(namespace), client.MatchingFields{appIndex: app}, client.UnsafeDisableDeepCopy)
	return len(list.Items), err
}

func (typed) keys(ctx context.Context, c client.Reader) ([]ctrl.Request, error) {
	var list corev1.PodList
	if err := c.List(ctx, &list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	keys := make([]ctrl.Request, 0, len(list.Items))
	for i := range list.Items {
		keys = append(keys, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
	}
	return keys, nil
}

type untyped struct {
	prototype *unstructured.Unstructured
}

func (u untyped) object() client.Object { return u.prototype.DeepCopy() }

func (untyped) appValues(o client.Object) []string {
	app, _, _ := unstructured.NestedString(o.(*unstructured.Unstructured).Object, "metadata", "labels", "app")
	return []string{app}
}

func (u untyped) read(ctx context.Context, c client.Reader, key types.NamespacedName) (fields, error) {
	pod := u.prototype.DeepCopy()
	if err := c.Get(ctx, key, pod); err != nil {
		return fields{}, err
	}
	text := func(path ...string) string {
		value, _, _ := unstructured.NestedString(pod.Object, path...)
		return value
	}
	f := fields{
		app: text("metadata", "labels", "app"), sent: text("metadata", "annotations", sentAnnotation),
		node: text("spec", "nodeName"), account: text("spec", "serviceAccountName"),
		phase: text("status", "phase"), podIP: text("status", "podIP"), hostIP: text("status", "hostIP"),
	}
	f.priority, _, _ = unstructured.NestedInt64(pod.Object, "spec", "priority")
	f.start, _ = time.Parse(time.RFC3339, text("status", "startTime"))
	// Without the copy that GetOwnerReferences makes.
	owners, _, _ := unstructured.NestedFieldNoCopy(pod.Object, "metadata", "ownerReferences")
	if list, ok := owners.([]any); ok && len(list) > 0 {
		if owner, ok := list[0].(map[string]any); ok {
			f.owner, _ = owner["uid"].(string)
		}
	}
	return f, nil
}

func (u untyped) list() *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PodList"))
	return list
}

func (u untyped) countApp(ctx context.Context, c client.Reader, namespace, app string) (int, error) {
	list := u.list()
	err := c.List(ctx, list, client.InNamespace(namespace), client.MatchingFields{appIndex: app}, client.UnsafeDisableDeepCopy)
	return len(list.Items), err
}

func (u untyped) keys(ctx context.Context, c client.Reader) ([]ctrl.Request, error) {
	list := u.list()
	if err := c.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	keys := make([]ctrl.Request, 0, len(list.Items))
	for i := range list.Items {
		keys = append(keys, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
	}
	return keys, nil
}
