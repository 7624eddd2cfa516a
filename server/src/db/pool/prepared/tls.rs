//! The certificates that a connection to PostgreSQL accepts: those of `sslmode`, as sqlx accepts them.

use std::io;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use sea_orm::sqlx::Error;
use sea_orm::sqlx::postgres::PgSslMode;

/// What a text begins with that is a certificate or a key, and not the name of a file.
const PEM: &str = "-----BEGIN";

/// Certificates and a key: names of files, or their contents.
#[derive(Debug, Default)]
pub struct Files {
    /// Of authorities, beside those of the system.
    pub roots: Option<String>,
    /// Of the client.
    pub certificate: Option<String>,
    pub key: Option<String>,
}

/// Checks less than all of a certificate.
#[derive(Debug)]
struct Lenient {
    provider: Arc<CryptoProvider>,
    /// What checks the chain, if it is checked.
    chain: Option<Arc<WebPkiServerVerifier>>,
}

/// How a connection is encrypted.
///
/// # Errors
///
/// [`Error::Io`] for a file that cannot be read, [`Error::Tls`] for one that has no certificate or key, and
/// [`Error::Configuration`] for a certificate without a key, or a key without a certificate.
pub async fn client_config(mode: PgSslMode, files: Files) -> Result<ClientConfig, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
    let builder = builder.map_err(refused)?;
    let builder = match mode {
        PgSslMode::VerifyFull => builder.with_root_certificates(roots(files.roots).await?),
        PgSslMode::VerifyCa => {
            let roots = Arc::new(roots(files.roots).await?);
            let chain = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider)).build();
            let chain = Some(chain.map_err(refused)?);
            builder.dangerous().with_custom_certificate_verifier(Arc::new(Lenient { provider, chain }))
        }
        _ => builder.dangerous().with_custom_certificate_verifier(Arc::new(Lenient { provider, chain: None })),
    };
    match (files.certificate, files.key) {
        (Some(certificate), Some(key)) => {
            let certificates = certificates(&contents(certificate).await?)?;
            let key = PrivateKeyDer::from_pem_slice(&contents(key).await?).map_err(refused)?;
            builder.with_client_auth_cert(certificates, key).map_err(refused)
        }
        (None, None) => Ok(builder.with_no_client_auth()),
        _ => Err(Error::Configuration("`sslcert` and `sslkey` must be given together".into())),
    }
}

/// The authorities of the system, and those of a file.
async fn roots(file: Option<String>) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    let system = tokio::task::spawn_blocking(rustls_native_certs::load_native_certs).await;
    let system = system.map_err(|_| Error::WorkerCrashed)?;
    for error in system.errors {
        tracing::warn!(%error, "certificates of the system cannot be read");
    }
    roots.add_parsable_certificates(system.certs);
    if let Some(file) = file {
        for certificate in certificates(&contents(file).await?)? {
            roots.add(certificate).map_err(refused)?;
        }
    }
    Ok(roots)
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, Error> {
    CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>().map_err(refused)
}

fn refused(cause: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Tls(Box::new(cause))
}

async fn contents(file: String) -> Result<Vec<u8>, Error> {
    if file.trim_start().starts_with(PEM) {
        return Ok(file.into_bytes());
    }
    let read = tokio::task::spawn_blocking(|| std::fs::read(file)).await;
    Ok(read.unwrap_or_else(|error| Err(io::Error::other(error)))?)
}

impl ServerCertVerifier for Lenient {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        use CertificateError::{NotValidForName, NotValidForNameContext};
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        match chain.verify_server_cert(certificate, intermediates, name, ocsp_response, now) {
            Err(rustls::Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. })) => {
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
