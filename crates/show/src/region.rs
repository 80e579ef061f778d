//! The region of a tensor that is drawn, and its cut into cells: of one layout, or in common of two.

use std::ops::Range;

use super::cut::{Cut, common_blocks, elided, length, tile_edge};
use super::drawing::Drawing;
use super::grid::Grid;
use super::label::grouped;
use tensor_layout::algebra::Indexes;
use tensor_layout_words::{product, to_u64};

/// The most times that a cut with one block only is cut again.
const MOST_CUTS: usize = 16;

/// The number of columns that are drawn however wide they are.
const FEWEST_COLUMNS: u64 = 4;

/// The parts that are drawn at both ends of a long side: single elements of a tile, and tiles.
const ELEMENTS: [u64; 2] = [6, 2];
const TILES: [u64; 2] = [3, 1];

/// Parts that are drawn rather than left out.
const FEW: u64 = 4;

impl Drawing<'_> {
    /// The ranges of all axes that show all that either drawing shows, padding included.
    pub(super) fn region(&self, other: &Drawing<'_>) -> Vec<Range<u64>> {
        let both = self.ranges().into_iter().zip(other.ranges());
        both.map(|(a, b)| a.start.min(b.start)..a.end.max(b.end)).collect()
    }

    /// Returns whether a region is drawn element by element.
    pub(super) fn draws_elements_of(&self, region: &[Range<u64>]) -> bool {
        let (longest, most_cells) = (4 * self.most_blocks, 4 * self.most_blocks * self.most_blocks);
        let sides = region.iter().rev().take(2).map(length);
        sides.clone().all(|side| side <= longest) && sides.product::<u64>() <= most_cells
    }

    /// Grids of single elements, one for each of the first indexes of the leading axes.
    pub(super) fn grids_of_elements(&self, region: &[Range<u64>]) -> Vec<Grid> {
        let (outer, sides) = region.split_at(region.len().saturating_sub(2));
        let leads = Indexes::new(outer.iter().map(length).collect()).take(self.most_panels);
        let singly = |range: &Range<u64>| range.clone().map(|at| at..at + 1).collect();
        let grid = |at: Vec<u64>| Grid {
            lead: at.iter().zip(outer).map(|(at, range)| at + range.start).collect(),
            sides: sides.iter().map(singly).collect(),
            left_out: vec![None; sides.len()],
            tile: None,
            extents: self.placement.layout().shape(),
        };
        leads.map(grid).collect()
    }

    /// The first index of the leading axes, or the one of the zoom.
    pub(super) fn lead(&self, region: &[Range<u64>]) -> Vec<u64> {
        let outer = &region[..region.len().saturating_sub(2)];
        outer.iter().zip(&self.zoom).map(|(range, zoom)| zoom.unwrap_or(range.start)).collect()
    }

    /// The cut of a region with as many columns as fit the width of a page, in common with another layout.
    pub(super) fn cut(&self, with: &Drawing<'_>, lead: &[u64], sides: &[Range<u64>]) -> Grid {
        let mut most = self.most_blocks.min(with.most_blocks);
        loop {
            let grid = self.cut_into(with, lead, sides, most);
            let is_wide = |of: &Drawing<'_>| of.is_too_wide(&grid);
            if most <= FEWEST_COLUMNS || !(is_wide(self) || is_wide(with)) {
                return grid;
            }
            most /= 2;
        }
    }

    /// Returns whether the text of a grid is wider than a page.
    fn is_too_wide(&self, grid: &Grid) -> bool {
        let panel = self.draft(grid, &self.spans(), Some(&[])).panel;
        let lines = panel.cells.iter().flat_map(|cell| cell.label.split('\n'));
        let lines = lines.map(|line| line.chars().count());
        lines.max().unwrap_or(0).saturating_mul(panel.columns) > self.most_characters
    }

    /// Cuts a region into whole tiles, the middle ones left out, then shows the content of one tile. Without
    /// tiles, cuts it into blocks; in common with another layout, the blocks end where digits of both end, as
    /// far as there are such places.
    fn cut_into(
        &self,
        with: &Drawing<'_>,
        lead: &[u64],
        sides: &[Range<u64>],
        most_columns: u64,
    ) -> Grid {
        let axes = |of: &Drawing<'_>| of.placement.layout().axes()[lead.len()..].to_vec();
        let (axes, others) = (axes(self), axes(with));
        let has_tiles = !self.tiles.is_empty() || !with.tiles.is_empty();
        let edge =
            |of: &Drawing<'_>, axis| of.tiles.first().map_or(1, |(size, _)| tile_edge(axis, *size));
        let both = || axes.iter().zip(&others);
        let edges: Vec<u64> = both().map(|(a, b)| edge(self, a).max(edge(with, b))).collect();
        let within = sides.iter().zip(&edges).all(|(side, edge)| length(side) <= *edge);
        let most = self.most_blocks.min(with.most_blocks);
        let is_long = has_tiles && sides.iter().any(|side| length(side) > most);
        let last = sides.len().saturating_sub(1);
        let cuts = sides.iter().zip(both()).zip(&edges).enumerate();
        let cuts: Vec<Cut> = cuts
            .map(|(at, ((side, (a, b)), edge))| {
                let most = if at == last { most_columns } else { most };
                match within {
                    true if is_long => elided(side, 1, ELEMENTS, FEW),
                    false if has_tiles => {
                        elided(side, *edge, TILES, most.saturating_sub(TILES.iter().sum()).min(FEW))
                    }
                    _ => Cut::whole(common_blocks([a, b], side, 1, most)),
                }
            })
            .collect();
        let (sides, left_out) = cuts.into_iter().map(|cut| (cut.ranges, cut.middle)).unzip();
        let tile = (has_tiles && !within).then_some(edges);
        let extents = self.placement.layout().shape();
        Grid { lead: lead.to_vec(), sides, left_out, tile, extents }
    }

    /// The first cut of a region into more than one cell, in common with another layout.
    pub(super) fn first_cut(&self, with: &Drawing<'_>, region: &[Range<u64>]) -> Grid {
        let lead = self.lead(region);
        let mut grid = self.cut(with, &lead, &region[lead.len()..]);
        for _ in 0..MOST_CUTS {
            let [only] = &grid.boxes()[..] else { break };
            if grid.is_of_elements() {
                break;
            }
            grid = self.cut(with, &lead, &only[lead.len()..]);
        }
        grid
    }

    /// The leading indexes that a picture leaves out.
    pub(super) fn left_out(&self, region: &[Range<u64>]) -> Option<String> {
        let outer = &region[..region.len().saturating_sub(2)];
        let small = self.draws_elements_of(region);
        let shown = if small { to_u64(self.most_panels) } else { 1 };
        let all = product(outer.iter().map(length));
        let of = match all {
            _ if region.iter().any(Range::is_empty) => return None,
            Some(all) if all <= shown => return None,
            Some(all) => grouped(all),
            None => "more than 2^64".into(),
        };
        Some(match small {
            true => format!("the first {shown} of {of} leading indexes are drawn"),
            false => format!("one of {of} leading indexes is drawn"),
        })
    }
}
