//! Projects: what a folder is registered as.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use rig_core::caller::Caller;
use rig_core::id::ProjectId;
use rig_core::name::Name;
use rig_core::project::Support;
use rig_core::store::Transact as _;
use rig_git::error::Row;
use rig_git::{Error, Result, projects};

use crate::world::World;

fn add(world: &World, path: &Path) -> Result<rig_core::project::Project> {
    projects::add(world.store(), &world.machine(), path, None)
}

#[test]
fn any_folder_that_can_be_read_is_one_project() {
    let world = World::new();
    let repository = world.repository("proj");
    let project = add(&world, &repository).unwrap();
    assert_eq!(project.support, Support::Supported);
    let link = world.root().join("link");
    symlink(&repository, &link).unwrap();
    assert_eq!(add(&world, &link).unwrap(), project);
    let nested = world.write("proj/nested/file", "").parent().unwrap().to_owned();
    assert_ne!(add(&world, &nested).unwrap().id, project.id);
    assert_eq!(add(&world, Path::new("rel")).unwrap_err().code(), "path_not_absolute");
    assert_eq!(add(&world, &repository.join("nope")).unwrap_err().code(), "path_missing");
    let file = repository.join("README.md");
    assert_eq!(add(&world, &file).unwrap_err().code(), "not_a_directory");
    assert_eq!(add(&world, &file.join("x")).unwrap_err().code(), "not_a_directory");
}

#[test]
fn an_id_names_one_folder() {
    let world = World::new();
    let (one, two) = (world.repository("one"), world.repository("two"));
    let id = ProjectId::generate(world.store().now());
    let with_id = |path: &Path, id| projects::add(world.store(), &world.machine(), path, Some(id));
    assert_eq!(with_id(&one, id).unwrap().id, id);
    assert_eq!(with_id(&one, id).unwrap().id, id);
    let conflict = with_id(&two, id).unwrap_err();
    assert_eq!(conflict.code(), "id_conflict");
    for path in [&one, &two] {
        assert!(conflict.to_string().contains(path.to_str().unwrap()), "{conflict}");
    }
    let other = ProjectId::generate(world.store().now());
    let conflict = with_id(&one, other).unwrap_err();
    assert_eq!(conflict.code(), "id_conflict");
    for id in [id, other] {
        assert!(conflict.to_string().contains(&id.to_string()), "{conflict}");
    }
}

#[test]
fn the_first_name_is_the_repository_s_then_the_folder_s() {
    let world = World::new();
    let repository = world.repository("folder");
    world.git(&["remote", "add", "up", "https://h/o/up%20stream.git"], &repository);
    assert_eq!(add(&world, &repository).unwrap().name.as_str(), "up stream");
    let local = world.clone_of(&repository, "Local Clone");
    let project = add(&world, &local).unwrap();
    assert_eq!(
        (project.name.as_str(), project.storage_key.as_str()),
        ("Local Clone", "local-clone")
    );
    let same = world.repository("elsewhere/local clone");
    let project = add(&world, &same).unwrap();
    assert_eq!(project.name.as_str(), "local clone (2)");
    assert_eq!(project.storage_key, "local-clone-2");
}

#[test]
fn the_path_of_a_workspace_answers_with_its_project() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let ready = world.ready(&project, "Ready");
    assert_eq!(add(&world, &ready.path).unwrap().id, project.id);
    let failed = world.reserve(&project, "Failed");
    world.write(failed.path.join("stray"), "");
    world.materialize(failed.id);
    let refused = add(&world, &failed.path).unwrap_err();
    assert_eq!(refused.code(), "managed_workspace");
    assert!(refused.to_string().contains("\"Failed\", which is failed"), "{refused}");
}

#[test]
fn which_project_a_command_means() {
    let world = World::new();
    let repository = world.repository("proj");
    let sub = world.write("proj/sub/deep/file", "").parent().unwrap().to_owned();
    let meant = |folder: &Path, selector: Option<&str>| {
        let selector = selector.map(std::ffi::OsStr::new);
        projects::meant(world.store(), &world.machine(), folder, selector)
    };
    // A sub-folder registers the top level.
    let project = meant(&sub, None).unwrap();
    assert_eq!(*project.path, *repository);
    let row = world.ready(&project, "Inside");
    assert_eq!(meant(&row.path, None).unwrap().id, project.id);
    let link = world.root().join("link");
    symlink(&repository, &link).unwrap();
    assert_eq!(meant(&link.join("sub"), None).unwrap().id, project.id);
    // The deepest registered project wins.
    let nested = add(&world, &repository.join("sub")).unwrap();
    assert_eq!(meant(&sub, None).unwrap().id, nested.id);
    assert_eq!(meant(&sub, Some(&project.id.to_string())).unwrap().id, project.id);
    assert_eq!(meant(&sub, Some("..")).unwrap().id, nested.id);
    let unknown = ProjectId::from_bits(1).to_string();
    assert_eq!(meant(&sub, Some(&unknown)).unwrap_err().code(), "project_not_found");
    let plain = world.write("plain/file", "").parent().unwrap().to_owned();
    assert_eq!(meant(&plain, None).unwrap_err().code(), "not_a_git_project");
}

#[test]
fn projects_are_renamed_and_ordered() {
    let world = World::new();
    let (one, two) = (world.repository("one"), world.repository("two"));
    let (one, two) = (add(&world, &one).unwrap(), add(&world, &two).unwrap());
    let name = |text: &str| Name::new(text).unwrap();
    let store = world.store();
    let renamed = projects::rename(store, one.id, name("TWO"), Caller::Person, Some(1)).unwrap();
    assert_eq!((renamed.name.as_str(), renamed.storage_key.as_str()), ("TWO (2)", "one"));
    let conflict = projects::rename(store, one.id, name("x"), Caller::Person, Some(1)).unwrap_err();
    assert_eq!(conflict.code(), "version_conflict");
    let Error::VersionConflict { row: Row::Project(row), .. } = conflict else { panic!() };
    assert_eq!(*row, renamed);
    let order = || {
        let listed = store.read(|read| projects::list(read, false)).unwrap();
        listed.iter().map(|project| project.id).collect::<Vec<_>>()
    };
    assert_eq!(order(), [two.id, one.id]);
    projects::reorder(store, one.id, None, None).unwrap();
    assert_eq!(order(), [one.id, two.id]);
}

#[test]
fn support_is_asked_again_at_each_create() {
    let world = World::new();
    let plain = world.write("plain/file", "").parent().unwrap().to_owned();
    let project = world.project(&plain);
    assert!(
        matches!(&project.support, Support::Unsupported { code, .. } if code == "not_a_git_project")
    );
    world.git(&["init", "-q"], &plain);
    world.commit(&plain, "file", "one");
    let row = world.ready(&project, "Now");
    assert!(row.path.join("file").exists());
    let project = world.store().read(|read| projects::get(read, project.id)).unwrap();
    assert_eq!((project.support, project.trunk.as_deref()), (Support::Supported, Some("main")));
    fs::remove_dir_all(plain.join(".git")).unwrap();
    let refused = world.try_reserve(crate::life::named(project.id, "Gone"));
    assert_eq!(refused.unwrap_err().code(), "not_a_git_project");
    let kept = world.store().read(|read| projects::get(read, project.id)).unwrap();
    assert!(matches!(kept.support, Support::Unsupported { .. }), "{:?}", kept.support);
    assert_eq!(world.project(&plain).support.clone(), world.project(&plain).support);
    assert!(matches!(world.project(&plain).support, Support::Unsupported { .. }));
}
