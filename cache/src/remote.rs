//! A store that machines share: objects with names, on an S3-compatible server, a Redis server or
//! in a directory, by way of OpenDAL.
//!
//! Invariant: it never fails its user. What cannot be read is absent, what cannot be written is
//! not kept; the first failure is told, and after it the store is not asked again. Messages have
//! addresses without users, passwords and options, among which are keys.

use std::error::Error as _;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Once;
use std::time::Duration;

use opendal::{ErrorKind, HttpTransporter, Operator, OperatorUri};
use opendal_http_transport_reqwest::ReqwestTransport;
use percent_encoding::percent_decode_str;
use rustls::crypto::ring;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::task::spawn_blocking;

use crate::Error;

/// What is said of one that takes longer.
const SILENT: &str = "it does not answer";

/// What is said of an address that begins otherwise.
const NO_SUCH_STORE: &str = "stores are `s3://`, `redis://` and `fs://`";

/// What is said of an address with a host, as `fs://here/there` has one.
const NO_HOST: &str = "a directory has no host: its address is `fs:///PATH`";

/// What is said of a user's name or a password in another address than Redis's.
const NO_USER: &str = "only the address of a Redis server has a user and a password";

/// What precedes the names of our objects: another form of them gets another one.
const PREFIX: &str = "bactrian-2/";

/// Where Redis listens unless the address says otherwise.
const REDIS_PORT: u16 = 6379;

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
    address: OperatorUri,
    pub access: Access,
    /// How long one object may take to come or go before the store counts as lost.
    patience: Duration,
    /// Absent until the store was reached.
    operator: Option<Operator>,
    /// There until this is dropped.
    runtime: Option<Runtime>,
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
        let refused = |reason: &str| Error::Remote {
            uri: shown(uri),
            reason: without_secrets(reason),
        };
        let address = address(uri).map_err(|error| match error.kind() {
            ErrorKind::Unsupported => refused(NO_SUCH_STORE),
            _ => refused(&reason(&error)),
        })?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        Ok(Self {
            uri: shown(uri),
            address,
            access,
            patience,
            operator: None,
            runtime: Some(runtime.map_err(|error| refused(&error.to_string()))?),
            failure: None,
            is_told: false,
        })
    }

    /// The object of this name.
    pub fn read(&mut self, name: &str) -> Option<Vec<u8>> {
        let operator = self.reached()?;
        let name = format!("{PREFIX}{name}");
        self.ask(async move {
            match operator.read(&name).await {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                read => read.map(|object| Some(object.to_vec())),
            }
        })?
    }

    /// Keeps an object; whether it is kept.
    pub fn write(&mut self, name: &str, object: Vec<u8>) -> bool {
        let name = format!("{PREFIX}{name}");
        let kept = self
            .reached()
            .and_then(|operator| self.ask(async move { operator.write(&name, object).await }));
        kept.is_some()
    }

    /// Who has the objects, unless the store is lost.
    fn reached(&mut self) -> Option<Operator> {
        if self.is_lost() {
            return None;
        }
        if self.operator.is_none() {
            self.operator = self.ask(reach(self.address.clone(), self.access));
        }
        self.operator.clone()
    }

    /// Waits for an answer. Without one, the store is lost.
    fn ask<T>(&mut self, request: impl Future<Output = opendal::Result<T>>) -> Option<T> {
        static CONNECTED: Once = Once::new();
        CONNECTED.call_once(|| {
            // One that is there already is another user's, and as good.
            let _ = ring::default_provider().install_default();
            HttpTransporter::install_default(ReqwestTransport::default());
        });
        let limited = async { tokio::time::timeout(self.patience, request).await };
        let reason = match self.runtime.as_ref()?.block_on(limited) {
            Ok(Ok(answer)) => return Some(answer),
            Ok(Err(error)) => reason(&error),
            Err(_) => SILENT.into(),
        };
        self.failure = Some(format!(
            "the shared cache {} could not be used: {}; going on without it",
            self.uri,
            without_secrets(&reason)
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

impl Drop for Remote {
    fn drop(&mut self) {
        // What waits for a directory that does not answer cannot be stopped, and is not waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// What an address says, if it is one. No directory is touched.
fn address(uri: &str) -> opendal::Result<OperatorUri> {
    let refused = |reason| Err(opendal::Error::new(ErrorKind::ConfigInvalid, reason));
    let plain = OperatorUri::new(uri, [])?;
    let user = [
        ("username", plain.username()),
        ("password", plain.password()),
    ];
    let given = user.into_iter().filter_map(|(option, text)| {
        let text = percent_decode_str(text?).decode_utf8_lossy();
        Some((option.to_owned(), text.into_owned()))
    });
    let given: Vec<_> = given.collect();
    if is_directory(&plain) {
        return match (plain.authority(), root(&plain)) {
            (Some(_), _) => refused(NO_HOST),
            (None, None) => refused("it names no directory"),
            (None, Some(_)) => Ok(plain),
        };
    }
    if !given.is_empty() && plain.scheme() != "redis" {
        return refused(NO_USER);
    }
    let address = OperatorUri::new(uri, given)?;
    Operator::from_uri(&address)?;
    Ok(address)
}

/// Opens a store that is there. OpenDAL would make a directory that is not, and would try to
/// connect to a Redis server seven times.
async fn reach(address: OperatorUri, access: Access) -> opendal::Result<Operator> {
    let failed = |error: io::Error| {
        let kind = match error.kind() {
            io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
            _ => ErrorKind::Unexpected,
        };
        opendal::Error::new(kind, "it cannot be reached").set_source(error)
    };
    if let Some(server) = redis_server(&address) {
        TcpStream::connect(server).await.map_err(failed)?;
    }
    let open = move || {
        if access == Access::Read
            && is_directory(&address)
            && let Some(root) = root(&address)
        {
            fs::metadata(root).map_err(failed)?;
        }
        Operator::from_uri(address)
    };
    spawn_blocking(open).await.expect("opening does not panic")
}

fn is_directory(address: &OperatorUri) -> bool {
    matches!(address.scheme(), "fs" | "file")
}

/// Where a directory is, by the option or by the path.
fn root(address: &OperatorUri) -> Option<PathBuf> {
    let named = address.option("root").map(PathBuf::from);
    named.or_else(|| Some(format!("/{}", address.root()?).into()))
}

/// The host and port of a Redis server, unless options say where it is.
fn redis_server(address: &OperatorUri) -> Option<String> {
    let is_elsewhere = ["endpoint", "cluster_endpoints"]
        .into_iter()
        .any(|option| address.option(option).is_some());
    let host = address
        .authority()
        .filter(|_| address.scheme() == "redis" && !is_elsewhere)?;
    let port = host.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
    Some(match port {
        Some(Ok(_)) => host.into(),
        Some(Err(_)) | None => format!("{host}:{REDIS_PORT}"),
    })
}

/// Why a store failed, on one line: what OpenDAL says of itself is left out.
fn reason(error: &opendal::Error) -> String {
    let mut cause = error.source();
    while let Some(deeper) = cause.and_then(|cause| cause.source()) {
        cause = Some(deeper);
    }
    let said = cause.map_or_else(|| error.message().to_owned(), ToString::to_string);
    let said = said.lines().next().unwrap_or_default();
    match error.kind() {
        ErrorKind::PermissionDenied => format!("access is denied ({said})"),
        ErrorKind::RateLimited => format!("it takes no more requests ({said})"),
        _ => said.into(),
    }
}

/// An address without what precedes the host and what follows the path.
fn shown(uri: &str) -> String {
    let (scheme, rest) = match uri.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), uri),
    };
    let (place, hidden) = rest.split_at(rest.find(['?', '#']).unwrap_or(rest.len()));
    match place.rsplit_once('@') {
        Some((_, place)) => format!("{scheme}{place}"),
        // That may be the end of a password, and the place its beginning.
        None if hidden.contains('@') => format!("{scheme}…"),
        None => format!("{scheme}{place}"),
    }
}

/// A message in which all addresses are so.
fn without_secrets(message: &str) -> String {
    let words = message.split(' ').map(|word| match word.contains("://") {
        true => shown(word),
        false => word.into(),
    });
    words.collect::<Vec<_>>().join(" ")
}
