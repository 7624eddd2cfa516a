//! packaging/kubernetes.yaml agrees with the settings, the ports and the probes of the server.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use bookends_server::config::Settings;
use serde::Deserialize;
use serde_json::Value;
use testdb::TestDb;

use super::read;
use crate::operations::manuals::serve;
use crate::support::program::Program;
use crate::support::shop::bookshop;
use crate::support::wire::{TOKEN, ask, get, post};

/// The objects of the file, by their kinds.
struct Manifest(BTreeMap<String, Value>);

impl Manifest {
    fn new() -> Self {
        let text = read("packaging/kubernetes.yaml");
        let objects = serde_yaml_ng::Deserializer::from_str(&text).map(|object| Value::deserialize(object).unwrap());
        Self(objects.map(|object| (text_of(&object["kind"]), object)).collect())
    }

    /// A part of an object.
    #[track_caller]
    fn at(&self, kind: &str, pointer: &str) -> &Value {
        self.0[kind].pointer(pointer).unwrap_or_else(|| panic!("{kind} has no {pointer}"))
    }

    /// What the pods are.
    fn pod(&self) -> &Value {
        self.at("Deployment", "/spec/template/spec")
    }

    fn server(&self) -> &Value {
        &self.pod()["containers"][0]
    }

    /// The port of the server with this name.
    #[track_caller]
    fn port(&self, name: &Value) -> u64 {
        let ports = self.server()["ports"].as_array().unwrap();
        let port = ports.iter().find(|port| port["name"] == *name).unwrap_or_else(|| panic!("no port {name}"));
        port["containerPort"].as_u64().unwrap()
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

/// The variables of a container. Those of the secret have values of the test.
fn variables(container: &Value, url: &str) -> Vec<(String, String)> {
    let variables = container["env"].as_array().unwrap().iter().map(|variable| {
        let name = text_of(&variable["name"]);
        let Some(secret) = variable.pointer("/valueFrom/secretKeyRef") else {
            return (name, text_of(&variable["value"]));
        };
        let value = match text_of(&secret["key"]).as_str() {
            "DATABASE_URL" => url,
            "WRITE_TOKEN" => TOKEN,
            key => panic!("{key} is not in the secret"),
        };
        (name, value.to_owned())
    });
    variables.collect()
}

/// The program as a container runs it, on free ports of this machine.
fn program(container: &Value, url: &str) -> Command {
    let mut command = bookshop(url);
    command.env_clear().args(container["args"].as_array().unwrap().iter().map(text_of));
    for (name, value) in variables(container, url) {
        let value = if name.starts_with("LISTEN") { "127.0.0.1:0".to_owned() } else { value };
        command.env(name, value);
    }
    command
}

#[test]
fn every_variable_of_the_pods_is_a_setting() {
    let manifest = Manifest::new();
    let cli = serve();
    let mut settings: Vec<&str> = cli.get_arguments().filter_map(|argument| argument.get_env()?.to_str()).collect();
    settings.push("WRITE_TOKEN");
    let containers = [&manifest.pod()["initContainers"][0], manifest.server()];
    let names = containers.into_iter().flat_map(|container| variables(container, ""));
    let strange: Vec<String> = names.map(|(name, _)| name).filter(|name| !settings.contains(&name.as_str())).collect();
    assert!(strange.is_empty(), "{strange:?}");
}

#[tokio::test]
async fn the_program_serves_as_its_containers_say() {
    let manifest = Manifest::new();
    let test = TestDb::new().await;
    assert!(program(&manifest.pod()["initContainers"][0], &test.url).status().unwrap().success());
    let server = Program::start(&mut program(manifest.server(), &test.url));
    let main = server.address();
    let probes = server.address_of_probes();
    for probe in ["startupProbe", "livenessProbe", "readinessProbe"] {
        let probe = &manifest.server()[probe]["httpGet"];
        assert_eq!(probe["port"], "admin");
        assert_eq!(ask(&probes, get(&text_of(&probe["path"]))).status, 200, "{probe}");
    }
    let metrics = manifest.at("Deployment", "/spec/template/metadata/annotations/prometheus.io~1path");
    assert_eq!(ask(&probes, get(&text_of(metrics))).status, 200);
    assert_eq!(ask(&main, post(r#"{"query":"{ __typename }"}"#)).status, 200);
    server.end();
}

#[test]
fn the_ports_are_those_on_which_the_server_listens() {
    let manifest = Manifest::new();
    let variables: BTreeMap<String, String> = variables(manifest.server(), "").into_iter().collect();
    for (setting, port) in [("LISTEN", "http"), ("LISTEN_ADMIN", "admin")] {
        assert_eq!(variables[setting], format!("0.0.0.0:{}", manifest.port(&port.into())));
    }
    let scraped = manifest.at("Deployment", "/spec/template/metadata/annotations/prometheus.io~1port");
    assert_eq!(text_of(scraped), manifest.port(&"admin".into()).to_string());
    let served = manifest.at("Service", "/spec/ports").as_array().unwrap();
    assert!(served.iter().all(|port| port["targetPort"] == "http"), "{served:?}");
    let labels = manifest.at("Deployment", "/spec/template/metadata/labels");
    for (kind, selector) in [
        ("Deployment", "/spec/selector/matchLabels"),
        ("Service", "/spec/selector"),
        ("PodDisruptionBudget", "/spec/selector/matchLabels"),
    ] {
        assert_eq!(manifest.at(kind, selector), labels, "{kind}");
    }
}

#[test]
fn a_pod_has_the_time_that_its_server_takes_to_start_and_to_stop() {
    let manifest = Manifest::new();
    let seconds = |value: &Value| Duration::from_secs(value.as_u64().unwrap());
    let server = manifest.server();
    let variables: BTreeMap<String, String> = variables(server, "").into_iter().collect();
    let stop = variables["SHUTDOWN_TIMEOUT"].parse().map(Duration::from_secs_f64).unwrap();
    let pause = seconds(&server["lifecycle"]["preStop"]["sleep"]["seconds"]);
    // Traces take up to two seconds more, and the database has to be closed.
    assert!(seconds(&manifest.pod()["terminationGracePeriodSeconds"]) >= pause + stop + Duration::from_secs(5));
    let probe = &server["startupProbe"];
    let start = seconds(&probe["periodSeconds"]) * u32::try_from(probe["failureThreshold"].as_u64().unwrap()).unwrap();
    assert!(start > Settings::new("").database_wait.0);
    // `/ready` gives the database two seconds, and the threads three.
    assert!(seconds(&server["readinessProbe"]["timeoutSeconds"]) > Duration::from_secs(3));
}
