//! Podwatch on kube-rs: a peer that our own podwatch is measured against. See ../README.md for the arguments and the
//! protocol on stdin and stdout.

mod index;
mod meter;

use std::io::BufRead;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::channel::mpsc;
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::Pod;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::runtime::controller::{Action, Config as ControllerConfig};
use kube::runtime::reflector::{self, ObjectRef, Store};
use kube::runtime::{Controller, WatchStreamExt, watcher};
use kube::{Api, Client, Config, ResourceExt};

use index::AppIndex;
use meter::Meter;

type Failure = Box<dyn std::error::Error + Send + Sync>;

struct Settings {
    kubeconfig: String,
    namespace: String,
    workers: u16,
}

struct Shared {
    store: Store<Pod>,
    index: AppIndex,
    meter: Meter,
}

fn main() {
    let started = Instant::now();
    if let Err(failure) = run(started) {
        eprintln!("podwatch: {failure}");
        std::process::exit(1);
    }
}

fn run(started: Instant) -> Result<(), Failure> {
    let settings = parse_settings()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let api = runtime.block_on(connect(&settings))?;
    let (store, writer) = reflector::store();
    let shared = Arc::new(Shared { store, index: AppIndex::default(), meter: Meter::default() });
    let (trigger, triggers) = mpsc::unbounded();
    let (filled, first_filling) = std::sync::mpsc::channel();
    runtime.spawn(control(api, writer, shared.clone(), triggers, filled, settings.workers));
    // Not wait_until_ready: the controller waits there as well, and only one of them is woken.
    first_filling.recv()?;
    let objects = shared.store.len();
    println!("{{\"event\":\"synced\",\"objects\":{objects},\"seconds\":{:.6}}}", started.elapsed().as_secs_f64());
    shared.meter.await_keys(objects);
    println!("{{\"event\":\"settled\"}}");
    for line in std::io::stdin().lock().lines() {
        if obey(&shared, &trigger, &line?)? {
            break;
        }
    }
    // Nothing is worth an orderly end: the process has no state.
    std::process::exit(0);
}

fn parse_settings() -> Result<Settings, Failure> {
    let mut settings = Settings { kubeconfig: String::new(), namespace: String::new(), workers: 2 };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name.to_string(), value.to_string()),
            None => (word.clone(), words.next().ok_or(format!("{word} needs a value"))?),
        };
        match name.as_str() {
            "--kubeconfig" => settings.kubeconfig = value,
            "--namespace" => settings.namespace = value,
            "--workers" => settings.workers = value.parse()?,
            _ => return Err(format!("unknown argument {name}").into()),
        }
    }
    Ok(settings)
}

async fn connect(settings: &Settings) -> Result<Api<Pod>, Failure> {
    let kubeconfig = Kubeconfig::read_from(&settings.kubeconfig)?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    let client = Client::try_from(config)?;
    Ok(match settings.namespace.as_str() {
        "" => Api::all(client),
        namespace => Api::namespaced(client, namespace),
    })
}

/// Runs the controller: no managed fields in the store.
async fn control(
    api: Api<Pod>,
    writer: reflector::store::Writer<Pod>,
    shared: Arc<Shared>,
    triggers: mpsc::UnboundedReceiver<ObjectRef<Pod>>,
    filled: std::sync::mpsc::Sender<()>,
    workers: u16,
) {
    let watched = shared.clone();
    let pods = watcher(api, watcher::Config::default())
        .default_backoff()
        .inspect_err(|failure| eprintln!("podwatch: {failure:?}"))
        .modify(|pod| pod.managed_fields_mut().clear())
        .reflect(writer)
        .inspect_ok(move |event| {
            watched.index.apply(event);
            watched.meter.count_event(event);
            if matches!(event, watcher::Event::InitDone) {
                let _ = filled.send(());
            }
        })
        .applied_objects();
    Controller::for_stream(pods, shared.store.clone())
        .with_config(ControllerConfig::default().concurrency(workers))
        .reconcile_on(triggers)
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_secs(1)), shared)
        .for_each(|_| std::future::ready(()))
        .await;
}

/// Reads ten fields of the Pod, which the runtime took from the store. In a storm also lists the Pods of the same app.
async fn reconcile(pod: Arc<Pod>, shared: Arc<Shared>) -> Result<Action, kube::Error> {
    let metadata = &pod.metadata;
    let app = metadata.labels.as_ref().and_then(|labels| labels.get("app")).map_or("", String::as_str);
    let sent = metadata.annotations.as_ref().and_then(|all| all.get("bench/sent")).map_or("", String::as_str);
    let owner = metadata.owner_references.as_ref().and_then(|owners| owners.first()).map(|owner| owner.uid.as_str());
    let spec = pod.spec.as_ref().map(|spec| (&spec.node_name, &spec.service_account_name, spec.priority));
    let status = pod.status.as_ref().map(|status| (&status.phase, &status.pod_ip, &status.host_ip, &status.start_time));
    std::hint::black_box((owner, spec, status));
    shared.meter.observe(metadata, sent);
    if shared.meter.storming() {
        std::hint::black_box(shared.index.list(&shared.store, metadata, app));
    }
    shared.meter.finished();
    Ok(Action::await_change())
}

/// True for quit.
fn obey(shared: &Shared, trigger: &mpsc::UnboundedSender<ObjectRef<Pod>>, line: &str) -> Result<bool, Failure> {
    match line.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["stats"] => println!("{}", shared.meter.take_stats()),
        ["storm", rounds] => storm(shared, trigger, rounds.parse()?)?,
        ["quit"] => return Ok(true),
        _ => return Err(format!("unknown command {line:?}: stats, storm ROUNDS or quit").into()),
    }
    Ok(false)
}

fn storm(shared: &Shared, trigger: &mpsc::UnboundedSender<ObjectRef<Pod>>, rounds: usize) -> Result<(), Failure> {
    let keys: Vec<_> = shared.store.state().iter().map(|pod| ObjectRef::from_obj(pod.as_ref())).collect();
    let begin = Instant::now();
    for _ in 0..rounds {
        shared.meter.begin_round(keys.len());
        for key in &keys {
            trigger.unbounded_send(key.clone())?;
        }
        shared.meter.await_round();
    }
    let seconds = begin.elapsed().as_secs_f64();
    println!("{{\"event\":\"storm\",\"reconciles\":{},\"seconds\":{seconds:.6}}}", rounds * keys.len());
    Ok(())
}
