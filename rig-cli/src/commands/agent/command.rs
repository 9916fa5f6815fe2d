use clap::Subcommand;

use super::{ack, archive, info, me, new, receive, send, title, token, tree};
use crate::app::Cli;
use crate::commands::Ended;

#[derive(Subcommand)]
pub(crate) enum Command {
    New(new::Arguments),
    Token(token::Arguments),
    Title(title::Arguments),
    Archive(archive::Arguments),
    Me(me::Arguments),
    Info(info::Arguments),
    Send(send::Arguments),
    Receive(receive::Arguments),
    Ack(ack::Arguments),
    Tree(tree::Arguments),
}

impl Command {
    pub(in crate::commands) fn run(&self, cli: &Cli) -> Ended {
        match self {
            Self::New(arguments) => arguments.run(cli),
            Self::Token(arguments) => arguments.run(cli),
            Self::Title(arguments) => arguments.run(cli),
            Self::Archive(arguments) => arguments.run(cli),
            Self::Me(arguments) => arguments.run(cli),
            Self::Info(arguments) => arguments.run(cli),
            Self::Send(arguments) => arguments.run(cli),
            Self::Receive(arguments) => arguments.run(cli),
            Self::Ack(arguments) => arguments.run(cli),
            Self::Tree(arguments) => arguments.run(cli),
        }
    }
}
