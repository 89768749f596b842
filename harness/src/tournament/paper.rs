//! `tournament.tex`: tables and figures in one document that compiles as it is, and whose `table` and
//! `figure` environments can be copied into a paper.

use crate::figures::WrittenFigure;
use crate::grid::Grid;
use pidlab_figures::tex;
use std::fmt::Write;

const PREAMBLE: &str = r"\documentclass[a4paper]{article}
\usepackage[margin=1.5cm]{geometry}
\usepackage{booktabs,graphicx,pgfplots}
\pgfplotsset{compat=1.16}
\usepgfplotslibrary{groupplots}
\begin{document}
";

pub fn document(grids: &[Grid], figures: &[WrittenFigure]) -> String {
    let mut out = String::from(PREAMBLE);
    for grid in grids {
        writeln!(
            out,
            "\\begin{{table}}[htbp]\\centering\n\\caption{{{}}}\\label{{tab:{name}}}\n\\resizebox{{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}}{{!}}{{\\input{{tables/{name}.tex}}\\unskip}}\n\\end{{table}}\n",
            tex(&grid.caption),
            name = grid.name
        )
        .ok();
    }
    for figure in figures {
        writeln!(
            out,
            "\\begin{{figure}}[p]\\centering\n\\pgfplotsset{{table/search path={{figures}}}}\n\\resizebox{{\\linewidth}}{{!}}{{\\input{{figures/{name}.tex}}\\unskip}}\n\\caption{{{}}}\\label{{fig:{name}}}\n\\end{{figure}}\n\\clearpage\n",
            tex(figure.caption.trim()),
            name = figure.name
        )
        .ok();
    }
    out.push_str("\\end{document}\n");
    out
}
