//! A store that machines share: objects with names, on an S3-compatible server, a Redis server or
//! in a directory, by way of OpenDAL.
//!
//! Invariant: it never fails its user. What cannot be read is absent, what cannot be written is
//! not kept; the first failure is told, and after it the store is not asked again. Messages have
//! addresses without users, passwords and options, among which are keys.

use std::sync::Once;
use std::time::Duration;

use opendal::{ErrorKind, HttpTransporter, Operator};
use opendal_http_transport_reqwest::ReqwestTransport;
use tokio::runtime::Runtime;
use tokio::time::error::Elapsed;

use crate::Error;

/// What is said of one that takes longer.
const SILENT: &str = "it does not answer";

/// What is said of an address that begins otherwise.
const NO_SUCH_STORE: &str = "stores are `s3://`, `redis://` and `fs://`";

/// What precedes the names of our objects: another form of them gets another one.
const PREFIX: &str = "bactrian-1/";

/// Whether what is built here is written to the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    ReadAndWrite,
}

/// A store that can be asked.
#[derive(Debug)]
pub struct Remote {
    /// The address, for people.
    uri: String,
    pub access: Access,
    /// How long one object may take to come or go before the store counts as lost.
    patience: Duration,
    /// Absent if it could not be reached from the start.
    operator: Option<Operator>,
    runtime: Runtime,
    /// Absent until something failed.
    failure: Option<String>,
    is_told: bool,
}

impl Remote {
    /// The store at `uri`: `s3://BUCKET/PATH?endpoint=…&region=…`, `redis://HOST:PORT/PATH` or
    /// `fs:///PATH`; OpenDAL documents their options. Each object may take as long as `patience`.
    /// Nothing is asked of it yet.
    pub fn open(uri: &str, access: Access, patience: Duration) -> Result<Self, Error> {
        opendal::init_default_registry();
        let refused = |reason: String| Error::Remote {
            uri: shown(uri),
            reason: without_secrets(&reason),
        };
        let (operator, failure) = match Operator::from_uri(uri) {
            Ok(operator) => (Some(operator), None),
            Err(error) => match error.kind() {
                ErrorKind::Unsupported => return Err(refused(NO_SUCH_STORE.into())),
                ErrorKind::ConfigInvalid => return Err(refused(error.message().into())),
                // Where a directory should be and cannot be made.
                _ => (None, Some(error.to_string())),
            },
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let mut remote = Self {
            uri: shown(uri),
            access,
            patience,
            operator,
            runtime: runtime.map_err(|error| refused(error.to_string()))?,
            failure: None,
            is_told: false,
        };
        if let Some(reason) = failure {
            remote.fails::<()>(&reason);
        }
        Ok(remote)
    }

    /// The object of this name.
    pub fn read(&mut self, name: &str) -> Option<Vec<u8>> {
        let (operator, name) = self.reachable(name)?;
        match self.ask(operator.read(&name)) {
            Ok(Ok(object)) => Some(object.to_vec()),
            Ok(Err(error)) if error.kind() == ErrorKind::NotFound => None,
            Ok(Err(error)) => self.fails(&error.to_string()),
            Err(_) => self.fails(SILENT),
        }
    }

    /// Keeps an object; whether it is kept.
    pub fn write(&mut self, name: &str, object: Vec<u8>) -> bool {
        let Some((operator, name)) = self.reachable(name) else {
            return false;
        };
        let kept: Option<()> = match self.ask(operator.write(&name, object)) {
            Ok(Ok(_)) => Some(()),
            Ok(Err(error)) => self.fails(&error.to_string()),
            Err(_) => self.fails(SILENT),
        };
        kept.is_some()
    }

    /// Waits for an answer.
    fn ask<T>(&self, request: impl Future<Output = T>) -> Result<T, Elapsed> {
        static CONNECTED: Once = Once::new();
        CONNECTED.call_once(|| {
            // One that is there already is another user's, and as good.
            let _ = rustls::crypto::ring::default_provider().install_default();
            HttpTransporter::install_default(ReqwestTransport::default());
        });
        self.runtime
            .block_on(async { tokio::time::timeout(self.patience, request).await })
    }

    /// Who has an object, and its full name, unless the store is lost.
    fn reachable(&self, name: &str) -> Option<(Operator, String)> {
        let operator = self.operator.clone().filter(|_| !self.is_lost())?;
        Some((operator, format!("{PREFIX}{name}")))
    }

    fn fails<T>(&mut self, reason: &str) -> Option<T> {
        let first = reason.lines().next().unwrap_or_default();
        self.failure = Some(format!(
            "the shared cache {} could not be used: {}; going on without it",
            self.uri,
            without_secrets(first)
        ));
        None
    }

    /// Whether it is not asked any more.
    pub fn is_lost(&self) -> bool {
        self.failure.is_some()
    }

    /// What the user should be told, once.
    pub fn notice(&mut self) -> Option<String> {
        let failure = self.failure.clone()?;
        (!std::mem::replace(&mut self.is_told, true)).then_some(failure)
    }
}

/// An address without what precedes the host and what follows the path.
fn shown(uri: &str) -> String {
    let Some((scheme, rest)) = uri.split_once("://") else {
        return uri.into();
    };
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let place = rest[..end].rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{place}")
}

/// A message in which all addresses are so.
fn without_secrets(message: &str) -> String {
    let words: Vec<_> = message.split(' ').map(shown).collect();
    words.join(" ")
}
