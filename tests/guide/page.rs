//! A Markdown page as its fenced blocks.

/// A fenced block: "```sh", "```toml file=mine.toml".
pub struct Block {
    pub language: String,
    pub file: Option<String>,
    pub text: String,
    /// Line of the page at which it begins.
    pub line: usize,
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

    /// The commands of a shell block; a console block marks them with `$`.
    pub fn commands(&self) -> Vec<String> {
        if self.file.is_some() {
            return Vec::new();
        }
        let lines = self.text.lines();
        match self.language.as_str() {
            "sh" => lines
                .filter(|line| !line.is_empty() && !line.starts_with('#'))
                .map(String::from)
                .collect(),
            "console" => lines.filter_map(|l| l.strip_prefix("$ ")).map(String::from).collect(),
            _ => Vec::new(),
        }
    }
}

/// Code on a page is the code that is compiled.
pub fn assert_same_as(block: &Block, file: &str) {
    let code = std::fs::read_to_string(file).unwrap();
    assert!(code == block.text, "the block at line {} differs from {file}", block.line);
}
