//! Encrypted connections to PostgreSQL.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::station;
use bookends_server::config::{Seconds, Settings};
use bookends_server::events::Events;
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use testdb::{Cluster, Stop};

/// A PostgreSQL server that requires encryption, and the authority that signed its certificate.
fn encrypted() -> Option<(Cluster, PathBuf)> {
    let mut cluster = Cluster::start(&[])?;
    cluster.stop(Stop::Immediate);
    let authority = authority(cluster.folder(), "authority");
    openssl(
        cluster.folder(),
        "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -keyout key -out request",
    );
    cluster.file("names", "subjectAltName = DNS:localhost");
    openssl(
        cluster.folder(),
        "x509 -req -in request -CA authority.crt -CAkey authority.key -CAcreateserial -days 2 -extfile names -out certificate",
    );
    let read = |name: &str| std::fs::read_to_string(cluster.folder().join(name)).unwrap();
    let key = cluster.file("server.key", &read("key"));
    let certificate = cluster.file("server.crt", &read("certificate"));
    let rules = cluster.file("hba", "hostssl all all all scram-sha-256\n");
    let setting = |name: &str, path: &Path| format!("{name}={}", path.display());
    let settings = [setting("ssl_key_file", &key), setting("ssl_cert_file", &certificate), setting("hba_file", &rules)];
    cluster.set(&["ssl=on"]);
    cluster.set(&settings.each_ref().map(String::as_str));
    cluster.resume();
    Some((cluster, authority))
}

fn authority(folder: &Path, name: &str) -> PathBuf {
    let made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2";
    openssl(folder, &format!("{made} -subj /CN={name} -keyout {name}.key -out {name}.crt"));
    folder.join(format!("{name}.crt"))
}

fn openssl(folder: &Path, arguments: &str) {
    let made = Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output().unwrap();
    assert!(made.status.success(), "{arguments}: {}", String::from_utf8_lossy(&made.stderr));
}

#[tokio::test]
async fn a_connection_is_encrypted_and_verifies_the_server() {
    let Some((cluster, authority_file)) = encrypted() else { return };
    let settings = |parameters: String| Settings {
        database_wait: Seconds(std::time::Duration::from_secs(10)),
        ..Settings::new(cluster.url(&parameters))
    };
    let verified = |file: &Path| format!("sslmode=verify-full&sslrootcert={}", file.display());

    let db = station::connect(&settings(verified(&authority_file))).await.unwrap();
    let encrypted = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'station%'";
    let encrypted = Statement::from_string(DbBackend::Postgres, encrypted);
    db.migrate().await.unwrap();
    let listener = Events::new(&db, station::application().declaration()).rows("ReadingCreated").await.unwrap();
    let row = db.writer.query_one_raw(encrypted).await.unwrap().unwrap();
    assert!(row.try_get_by_index::<bool>(0).unwrap());
    drop(listener);

    let other = authority(cluster.folder(), "other");
    for (parameters, reason) in [
        (verified(&other), "certificate"),
        // The system does not trust the authority.
        ("sslmode=verify-full".to_owned(), "certificate"),
        ("sslmode=disable".to_owned(), "no encryption"),
    ] {
        let error = station::connect(&settings(parameters.clone())).await.unwrap_err().to_string();
        let place = error.starts_with("cannot open the PostgreSQL database postgres at localhost:");
        assert!(place && error.contains(reason) && !error.contains("secret"), "{parameters}: {error}");
    }
    let another_name = cluster.url(&verified(&authority_file)).replace("localhost", "127.0.0.1");
    let error = station::connect(&Settings::new(another_name)).await.unwrap_err().to_string();
    assert!(error.contains("certificate") && !error.contains("secret"), "{error}");
}
