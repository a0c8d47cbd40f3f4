use std::collections::{HashMap, HashSet};
use std::sync::{Arc, RwLock};

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::runtime::reflector::{ObjectRef, Store};
use kube::runtime::watcher::Event;

/// Names of Pods by name space and the label app. The store of kube-rs has no indexes, so this is kept beside it.
#[derive(Default)]
pub struct AppIndex {
    names: RwLock<HashMap<(String, String), HashSet<String>>>,
}

impl AppIndex {
    pub fn apply(&self, event: &Event<Pod>) {
        let mut names = self.names.write().unwrap();
        match event {
            Event::Init => names.clear(),
            Event::Apply(pod) | Event::InitApply(pod) => {
                names.entry(group(&pod.metadata)).or_default().insert(name(&pod.metadata));
            }
            Event::Delete(pod) => {
                names.get_mut(&group(&pod.metadata)).map(|set| set.remove(&name(&pod.metadata)));
            }
            _ => {}
        }
    }

    pub fn list(&self, store: &Store<Pod>, like: &ObjectMeta, app: &str) -> Vec<Arc<Pod>> {
        let namespace = like.namespace.clone().unwrap_or_default();
        let names = self.names.read().unwrap();
        let Some(set) = names.get(&(namespace.clone(), app.to_string())) else {
            return Vec::new();
        };
        set.iter().filter_map(|name| store.get(&ObjectRef::new(name).within(&namespace))).collect()
    }
}

fn group(metadata: &ObjectMeta) -> (String, String) {
    let app = metadata.labels.as_ref().and_then(|labels| labels.get("app")).cloned();
    (metadata.namespace.clone().unwrap_or_default(), app.unwrap_or_default())
}

fn name(metadata: &ObjectMeta) -> String {
    metadata.name.clone().unwrap_or_default()
}
