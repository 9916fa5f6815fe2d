use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use redb::StorageBackend;
use redb::backends::FileBackend;

use super::deferred::Deferred;
use super::error::{Error, Result};
use super::opened;
use super::options::Options;
use super::schema;

/// Copies that are kept from before a change of schema.
const COPIES: usize = 2;

/// Bytes read at a time.
const PIECE: usize = 1 << 20;

/// The file, made whole if it is not there: readable and writable for its owner alone.
pub(super) fn open_or_make(path: &Path, options: &Options) -> Result<FileBackend> {
    let open = || OpenOptions::new().read(true).write(true).open(path);
    let file = match open() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            make(path, options)?;
            open()
        }
        other => other,
    };
    backend(file.map_err(|error| cannot(path, &error))?, path)
}

/// The file for reading only; none if it is not there.
pub(super) fn open_for_reading(path: &Path) -> Result<Option<FileBackend>> {
    match File::open(path) {
        Ok(file) => backend(file, path).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot(path, &error)),
    }
}

fn backend(file: File, path: &Path) -> Result<FileBackend> {
    let about = file.metadata().map_err(|error| cannot(path, &error))?;
    let why = if !about.is_file() {
        "it is not a file"
    } else if about.len() == 0 {
        // A store is never empty: redb would make one of it.
        "it is empty"
    } else {
        return FileBackend::new(file).map_err(Error::storage);
    };
    Err(Error::Corrupt { path: path.to_owned(), why: why.into() })
}

/// Makes an empty store under another name, whole and synced, then gives it its name, unless
/// somebody else was faster.
fn make(path: &Path, options: &Options) -> Result<()> {
    let io = |error: std::io::Error| cannot(path, &error);
    let folder = folder_of(path);
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(io)?;
    let prefix = beside(path, ".new-");
    let new = tempfile::Builder::new()
        .prefix(prefix.file_name().unwrap_or_default())
        .tempfile_in(folder)
        .map_err(io)?;
    let storage = FileBackend::new(new.reopen().map_err(io)?).map_err(Error::storage)?;
    let deferred = Deferred::over(Arc::new(storage));
    let redb = opened::start(&deferred, path, options)?;
    let mut transaction = redb.begin_write().map_err(Error::storage)?;
    schema::initialize(&transaction, options)?;
    transaction.set_quick_repair(true);
    transaction.commit().map_err(Error::storage)?;
    deferred.write_whole().map_err(io)?;
    drop(redb);
    match new.persist_noclobber(path) {
        Ok(_) => sync_folder(folder).map_err(io),
        // Whether or not it is there shows when it is opened.
        Err(refused) if refused.error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(refused) => Err(io(refused.error)),
    }
}

/// Copies a store of an older schema to `<path>.schema-N`, and keeps the two newest copies.
pub(super) fn keep_copy(storage: &dyn StorageBackend, path: &Path, found: u64) -> Result<()> {
    let io = |error: std::io::Error| cannot(path, &error);
    let folder = folder_of(path);
    let mut copy = tempfile::NamedTempFile::new_in(folder).map_err(io)?;
    let len = storage.len().map_err(io)?;
    let mut at = 0;
    while at < len {
        let many = usize::try_from(len - at).unwrap_or(PIECE).min(PIECE);
        let mut piece = vec![0; many];
        storage.read(at, &mut piece).map_err(io)?;
        copy.write_all(&piece).map_err(io)?;
        at += many as u64;
    }
    copy.as_file().sync_all().map_err(io)?;
    copy.persist(beside(path, &format!(".schema-{found}"))).map_err(|refused| io(refused.error))?;
    sync_folder(folder).map_err(io)?;

    let mut copies = Vec::new();
    let prefix = beside(path, ".schema-");
    let prefix = prefix.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for entry in fs::read_dir(folder).map_err(io)? {
        let entry = entry.map_err(io)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(Ok(number)) = name.strip_prefix(&prefix).map(str::parse::<u64>) {
            copies.push((number, entry.path()));
        }
    }
    copies.sort_unstable();
    for (_, old) in copies.iter().rev().skip(COPIES) {
        fs::remove_file(old).map_err(io)?;
    }
    Ok(())
}

/// The path with something behind its name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

pub(super) fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

fn cannot(path: &Path, error: &std::io::Error) -> Error {
    Error::io(error).at(path)
}
