use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};

use crate::node::error::{Error, Result};
use crate::node::socket;

/// Connections that wait until one of those that are served ends.
const BACKLOG: i32 = 128;

/// Names a file, whatever its path.
type Inode = (u64, u64);

/// The socket as a leader bound it.
#[derive(Debug)]
pub(super) struct Bound {
    path: PathBuf,
    /// What was bound last.
    inode: Mutex<Option<Inode>>,
}

impl Bound {
    /// Binds the socket, in place of whatever a dead leader left. Only the lock's holder may.
    pub(super) fn bind(path: &Path) -> Result<(Self, UnixListener)> {
        let bound = Self { path: path.to_owned(), inode: Mutex::new(None) };
        let listener = bound.again()?;
        Ok((bound, listener))
    }

    /// Binds it again, since something else is at its path now, or nothing.
    pub(super) fn again(&self) -> Result<UnixListener> {
        let failed = |source| Error::Socket { path: self.path.clone(), source };
        // The folder may have gone with the socket.
        socket::make(&self.path)?;
        let listener = listen(&self.path).map_err(failed)?;
        *self.inode() = inode(&self.path);
        Ok(listener)
    }

    /// Whether its path still leads to it.
    pub(super) fn is_in_place(&self) -> bool {
        let bound = *self.inode();
        bound.is_some() && inode(&self.path) == bound
    }

    /// Takes it away, if it is still there.
    pub(super) fn unlink(&self) {
        if self.is_in_place() {
            // Whoever leads next would do it too.
            let _ = fs::remove_file(&self.path);
        }
    }

    fn inode(&self) -> MutexGuard<'_, Option<Inode>> {
        // It is whole after each change.
        self.inode.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn listen(path: &Path) -> std::io::Result<UnixListener> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let socket = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
    rustix::net::bind(&socket, &SocketAddrUnix::new(path)?)?;
    // Nobody can connect before it listens.
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    rustix::net::listen(&socket, BACKLOG)?;
    let listener = UnixListener::from(socket);
    listener.set_nonblocking(true)?;
    Ok(listener)
}

fn inode(path: &Path) -> Option<Inode> {
    let found = fs::symlink_metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}
