//! A Markdown page as its fenced blocks.

/// A fenced block: "```sh", "```toml file=mine.toml".
pub struct Block {
    pub language: String,
    pub file: Option<String>,
    pub text: String,
    /// Line of the page at which it begins.
    pub line: usize,
}

/// A command, and what a console block shows of its output; nothing shown means anything may come.
pub struct Command {
    pub line: String,
    pub prints: String,
}

pub struct Page {
    pub blocks: Vec<Block>,
}

impl Page {
    pub fn read(path: &str) -> Page {
        let text = std::fs::read_to_string(path).unwrap();
        let mut blocks: Vec<Block> = Vec::new();
        let mut inside = false;
        for (number, line) in text.lines().enumerate() {
            match (line.strip_prefix("```"), inside) {
                (Some(info), false) => blocks.push(Block::open(info, number + 1)),
                (Some(_), true) => {}
                (None, true) => {
                    let block = blocks.last_mut().unwrap();
                    block.text.push_str(line);
                    block.text.push('\n');
                }
                (None, false) => continue,
            }
            inside = !line.starts_with("```") || !inside;
        }
        assert!(!inside, "{path}: a block is not closed");
        Page { blocks }
    }
}

impl Block {
    fn open(info: &str, line: usize) -> Block {
        let mut words = info.split_whitespace();
        let language = words.next().unwrap_or("").to_string();
        let file = words.find_map(|word| word.strip_prefix("file=")).map(String::from);
        Block { language, file, text: String::new(), line }
    }

    /// The commands of a shell block; a console block marks them with `$` and shows what they print.
    pub fn commands(&self) -> Vec<Command> {
        if self.file.is_some() {
            return Vec::new();
        }
        match self.language.as_str() {
            "sh" => self.shell_lines(),
            "console" => self.session(),
            _ => Vec::new(),
        }
    }

    fn shell_lines(&self) -> Vec<Command> {
        let lines = self.text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(|line| Command { line: line.to_string(), prints: String::new() }).collect()
    }

    fn session(&self) -> Vec<Command> {
        let mut commands: Vec<Command> = Vec::new();
        for line in self.text.lines() {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => {
                    commands.push(Command { line: command.to_string(), prints: String::new() });
                }
                (None, Some(command)) => {
                    command.prints.push_str(line);
                    command.prints.push('\n');
                }
                (None, None) => panic!("line {}: `{line}` follows no command", self.line),
            }
        }
        commands
    }
}

/// What a page shows must be what the command prints; `…` stands for any text (times, long output).
pub fn assert_prints(command: &Command, printed: &str, at: &str) {
    let shown = command.prints.trim_end();
    if !shown.is_empty() {
        let matched = matches(shown, printed.trim_end());
        assert!(matched, "{at}: `{}` shows\n{shown}\nbut prints\n{printed}", command.line);
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, others)) = pattern.split_once('…') else { return pattern == text };
    let Some(mut rest) = text.strip_prefix(start) else { return false };
    let (middle, end) = others.rsplit_once('…').unwrap_or(("", others));
    for part in middle.split('…') {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(end)
}

/// Code on a page is the code that is compiled.
pub fn assert_same_as(block: &Block, file: &str) {
    let code = std::fs::read_to_string(file).unwrap();
    assert!(code == block.text, "the block at line {} differs from {file}", block.line);
}

#[test]
fn an_ellipsis_stands_for_any_text() {
    assert!(matches("safe in … s: 1 …", "safe in 0.5 s: 1 explored\nmore"));
    assert!(matches("all of it", "all of it"));
    assert!(matches("… b … b", "a b c b"));
    assert!(!matches("all of it", "all of it and more"));
    assert!(!matches("safe in … s", "unsafe in 1 s"));
    assert!(!matches("a … b", "a c"));
}
