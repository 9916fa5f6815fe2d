use std::path::Path;

use crate::world::{RIG, Said, TestResult, World};

const README: &str = include_str!("../../../README.md");

/// The first block of this language after `marker`.
fn block(marker: &str, language: &str) -> Option<&'static str> {
    let (_, after) = README.split_once(marker)?;
    let (_, after) = after.split_once(&format!("```{language}\n"))?;
    after.split_once("```").map(|(block, _)| block)
}

/// Whether a line is as it was promised, where `…` stands for anything.
fn is_as_promised(line: &str, promised: &str) -> bool {
    let mut rest = line;
    promised.split('…').enumerate().all(|(index, part)| {
        let found = if index == 0 { rest.starts_with(part).then_some(0) } else { rest.find(part) };
        found.map(|at| rest = &rest[at + part.len()..]).is_some()
    })
}

#[test]
fn the_tour_of_the_readme_runs_as_it_is_written() -> TestResult {
    run("<!-- A test runs these lines. -->")
}

#[test]
fn the_agents_of_the_readme_reach_each_other_as_it_is_written() -> TestResult {
    run("<!-- A test runs these lines too. -->")
}

/// Runs the tour after `marker`, and compares what it prints.
fn run(marker: &str) -> TestResult {
    let tour = block(marker, "console").ok_or("there is no tour")?;
    let script: String = tour
        .lines()
        .filter_map(|line| line.strip_prefix("$ "))
        .fold("set -e\n".to_owned(), |all, line| all + line + "\n");
    let promised: Vec<_> = tour.lines().filter(|line| !line.starts_with("$ ")).collect();

    let world = World::new()?;
    let bin = Path::new(RIG).parent().ok_or("rig lies nowhere")?;
    let mut paths = vec![bin.to_owned()];
    paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let mut shell = world.clean("sh", &world.repository);
    shell.env_remove("RIG_STATE_DIR").env_remove("RIG_WORKSPACES_DIRECTORY");
    shell.env("PATH", std::env::join_paths(paths)?).args(["-c", &script]);
    let said = Said::from(shell.output()?);
    assert_eq!(said.stderr, "");
    let said = said.success()?;
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), promised.len(), "{said}");
    for (line, promised) in lines.iter().zip(promised) {
        assert!(is_as_promised(line, promised), "{line:?} is not {promised:?}");
    }
    Ok(())
}

#[test]
fn the_configuration_of_the_readme_is_one() -> TestResult {
    let toml = block("<!-- A test reads these lines. -->", "toml").ok_or("there is none")?;
    let world = World::new()?;
    world.configure(toml)?;
    assert_eq!(world.rig(&["config", "check"])?.success()?, "");
    let values = world.json(&["config", "show"])?["values"].clone();
    assert_eq!(values["workspace.sync"]["value"][0], ".env");
    Ok(())
}

#[test]
fn the_first_command_of_the_readme_is_the_main_job() -> TestResult {
    let setup = block("## Set up", "sh").ok_or("there is none")?;
    let args = setup.trim().strip_prefix("cargo run -q -p rig-cli -- ").ok_or("it runs no rig")?;
    let world = World::new()?;
    let mut shell = world.clean("sh", &world.repository);
    let said = Said::from(shell.args(["-c", &format!("exec {RIG} {args}")]).output()?);
    let path = world.workspace("retry-policy-rewrite");
    assert_eq!(said.success()?, format!("{}\n", path.display()));
    Ok(())
}
