//! TLS of both hosts, with a certificate that is made for the run.

use std::sync::Arc;

use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rcgen::{CertificateParams, KeyPair, PKCS_ED25519};
use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, UnixTime};
use rustls::time_provider::TimeProvider;
use rustls::{ClientConfig, RootCertStore, ServerConfig};

use crate::Error;

/// Name of the server in its certificate.
pub(crate) const SERVER: &str = "server";

/// Time of day at which the client checks the certificate, so that no run depends on its date.
#[derive(Debug)]
struct Fixed;

impl TimeProvider for Fixed {
    fn current_time(&self) -> Option<UnixTime> {
        // 1 January 2026
        Some(UnixTime::since_unix_epoch(std::time::Duration::from_secs(1_767_225_600)))
    }
}

/// Configurations of the client and the server. Signatures of Ed25519 always have the same length, so that packets have
/// the same sizes in each run.
pub(crate) fn configs() -> Result<(QuicClientConfig, QuicServerConfig), Error> {
    let key = KeyPair::generate_for(&PKCS_ED25519)?;
    let certificate = CertificateParams::new(vec![SERVER.to_owned()])?.self_signed(&key)?;
    let mut roots = RootCertStore::empty();
    roots.add(certificate.der().clone())?;
    let provider = Arc::new(ring::default_provider());
    let client = ClientConfig::builder_with_details(Arc::clone(&provider), Arc::new(Fixed))
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let key = PrivateKeyDer::try_from(key.serialize_der())?;
    let server = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)?;
    Ok((client.try_into()?, server.try_into()?))
}
