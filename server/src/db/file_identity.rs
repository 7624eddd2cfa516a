//! The identity of a SQLite file: whether the file that was opened is still there, and the lock of its server.
//!
//! SQLite does not notice that its file was deleted or replaced: it goes on with a file that has no name. What is written
//! to it is lost when it is closed.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use sea_orm::sqlx;

use super::sqlite_error::{self, MOVED};

/// The permissions of the files that this program creates: the rows are for its user.
#[cfg(unix)]
pub const OWNER_ALONE: u32 = 0o600;

/// The path of a file that was opened, and which file it was.
#[derive(Clone, Debug)]
pub struct FileIdentity {
    path: PathBuf,
    file: FileId,
}

/// Why a server cannot have a file for itself.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another server has locked it.
    #[error(
        "another server uses {}: stop it, or set ALLOW_SHARED_FILE=true if subscribers may miss events", .0.display()
    )]
    Taken(PathBuf),
    /// The system refuses the lock.
    #[error("cannot lock {}: {error}; ALLOW_SHARED_FILE=true serves without a lock", .path.display())]
    Refused {
        /// The file of the lock.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

impl FileIdentity {
    /// The identity of a file that has just been opened. `None` for what SQLite does not keep in a file of the system.
    pub fn of(path: &Path) -> Option<Self> {
        let file = id(&fs::metadata(path).ok()?);
        Some(Self { path: path.to_owned(), file })
    }

    /// Checks that the path still leads to the file that was opened.
    ///
    /// # Errors
    ///
    /// An error with SQLite's own code for a file that was moved.
    pub fn check(&self) -> Result<(), sqlx::Error> {
        match fs::metadata(&self.path) {
            // Without its first page, it would be a database without tables.
            Ok(found) if id(&found) == self.file && found.len() > 0 => Ok(()),
            Ok(found) if found.len() == 0 => Err(self.moved("was emptied")),
            Ok(_) => Err(self.moved("was replaced")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(self.moved("was deleted")),
            Err(error) => Err(self.moved(&format!("cannot be found: {error}"))),
        }
    }

    fn moved(&self, what: &str) -> sqlx::Error {
        sqlite_error::error(MOVED, format!("the file {} {what}", self.path.display()))
    }

    /// Locks the file for one server. The system releases the lock when the value is dropped, and when the process ends.
    ///
    /// It is a lock on a file beside it: SQLite has locks of its own on the file, which this process would lose. On a full disk
    /// there may be no room for that file, and then there is no lock.
    ///
    /// # Errors
    ///
    /// [`LockError`].
    pub fn lock(&self) -> Result<Option<File>, LockError> {
        let mut path =
            fs::canonicalize(&self.path).map_or_else(|_| OsString::from(&self.path), PathBuf::into_os_string);
        path.push("-lock");
        let path = PathBuf::from(path);
        // The file stays when the server ends: if it was deleted, two servers could lock two files of its name.
        let mut options = File::options();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, OWNER_ALONE);
        let refused = |error| LockError::Refused { path: path.clone(), error };
        let lock = match options.create(true).truncate(false).write(true).open(&path) {
            Err(error) if matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
                tracing::warn!(%error, path = %path.display(), "the storage is full: serving without a lock");
                return Ok(None);
            }
            lock => lock.map_err(refused)?,
        };
        match lock.try_lock() {
            Ok(()) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Err(LockError::Taken(self.path.clone())),
            Err(TryLockError::Error(error)) => Err(refused(error)),
        }
    }
}

/// The device and the number of a file.
#[cfg(unix)]
type FileId = (u64, u64);

#[cfg(unix)]
fn id(file: &Metadata) -> FileId {
    use std::os::unix::fs::MetadataExt;
    (file.dev(), file.ino())
}

/// Elsewhere, an open file cannot be deleted.
#[cfg(not(unix))]
type FileId = ();

#[cfg(not(unix))]
fn id(_: &Metadata) -> FileId {}
