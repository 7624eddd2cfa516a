//! How a connection of the driver is opened: with the options of sqlx.

use percent_encoding::percent_decode_str;
use sea_orm::sqlx::postgres::{PgConnectOptions, PgSslMode};
use sea_orm::sqlx::{ConnectOptions as _, Error};
use tokio_postgres::config::{ChannelBinding, SslMode};
use tokio_postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::error::failed;
use super::tls::{Files, client_config};
use super::wire::Wire;

/// The settings with which sqlx begins each session: texts of dates, times and floating-point numbers depend on them.
const SETTINGS: &str = "-c DateStyle=ISO,MDY -c TimeZone=UTC -c extra_float_digits=2";

/// What comes before the name of a file.
const FILE: &str = "file: ";

/// Connects.
///
/// # Errors
///
/// [`Error::Configuration`] and [`Error::Tls`] for certificates, [`Error::Io`] for the network, or what the server says.
pub async fn connect(options: &PgConnectOptions) -> Result<(Client, Wire), Error> {
    let (config, mut files) = config(options);
    if config.get_ssl_mode() == SslMode::Disable {
        files = Files::default();
    }
    let tls = MakeRustlsConnect::new(client_config(options.get_ssl_mode(), files).await?);
    let (client, connection) = config.connect(tls).await.map_err(failed)?;
    Ok((client, Wire::new(connection)))
}

/// The same options, and the certificates.
fn config(options: &PgConnectOptions) -> (Config, Files) {
    // sqlx shows a password and certificates in its URL alone. Other options could make the URL invalid, so they are replaced.
    let url = options.clone().username("user").host("host").database("database").to_url_lossy();
    let parameter = |name: &str| {
        let (_, value) = url.query_pairs().find(|(key, _)| key == name)?;
        Some(value.strip_prefix(FILE).unwrap_or(&value).to_owned())
    };
    let files = Files { roots: parameter("sslrootcert"), certificate: parameter("sslcert"), key: parameter("sslkey") };
    let mut config = Config::new();
    config.user(options.get_username()).port(options.get_port()).ssl_mode(match options.get_ssl_mode() {
        PgSslMode::Disable | PgSslMode::Allow => SslMode::Disable,
        PgSslMode::Prefer => SslMode::Prefer,
        PgSslMode::Require | PgSslMode::VerifyCa | PgSslMode::VerifyFull => SslMode::Require,
    });
    match options.get_socket() {
        Some(folder) => config.host_path(folder),
        None => config.host(options.get_host()),
    };
    // sqlx does not bind the channel, and sends an empty password where it has none: the server says that it is wrong.
    config.channel_binding(ChannelBinding::Disable);
    config.password(percent_decode_str(url.password().unwrap_or_default()).collect::<Vec<u8>>());
    if let Some(database) = options.get_database() {
        config.dbname(database);
    }
    if let Some(name) = options.get_application_name() {
        config.application_name(name);
    }
    // The last ones prevail, as they do with sqlx.
    config.options(format!("{} {SETTINGS}", options.get_options().unwrap_or_default()));
    (config, files)
}

#[cfg(test)]
mod tests {
    use tokio_postgres::config::Host;

    use super::*;

    #[test]
    fn options_of_sqlx_are_those_of_the_driver() {
        let options = PgConnectOptions::new_without_pgpass()
            .host("::1")
            .port(7)
            .username("a@b/c")
            .password("p:@/?#% é")
            .database("d/e?")
            .application_name("name")
            .ssl_mode(PgSslMode::VerifyCa)
            .ssl_root_cert("/a folder/ca&.pem")
            .options([("jit", "off")]);
        let (config, files) = config(&options);
        assert_eq!(config.get_hosts(), [Host::Tcp("::1".into())]);
        assert_eq!((config.get_ports(), config.get_user()), (&[7][..], Some("a@b/c")));
        assert_eq!(config.get_password(), Some("p:@/?#% é".as_bytes()));
        assert_eq!((config.get_dbname(), config.get_application_name()), (Some("d/e?"), Some("name")));
        assert_eq!(config.get_ssl_mode(), SslMode::Require);
        assert!(config.get_options().is_some_and(|options| options == format!("-c jit=off {SETTINGS}")));
        assert_eq!(files.roots.as_deref(), Some("/a folder/ca&.pem"));
        assert_eq!((files.certificate, files.key), (None, None));
    }

    #[test]
    fn a_folder_is_that_of_a_socket() {
        let options = PgConnectOptions::new_without_pgpass().socket("/var/run/a b").ssl_mode(PgSslMode::Disable);
        let (config, _) = config(&options);
        assert_eq!(config.get_hosts(), [Host::Unix("/var/run/a b".into())]);
        assert_eq!((config.get_password(), config.get_ssl_mode()), (Some(&[][..]), SslMode::Disable));
    }
}
