/** Blocks that stay the same elements while parts of them are rendered again. */
const BLOCKS = 'p, li, pre'

interface ScrollAnchor {
  /** Notes the uppermost block in view. */
  note(): void
  /** Scrolls as far as that block has moved in the content since then. */
  hold(): void
}

/**
 * Keeps what is being read in place while content above it grows, as groups of turns do that are laid out for the first
 * time. Null where the browser does it: Safari never does, and in Firefox, which leaves such groups out, the styles
 * turn it off.
 */
export function createScrollAnchor(scroller: HTMLElement, content: HTMLElement): ScrollAnchor | null {
  if (getComputedStyle(scroller).overflowAnchor === 'auto') return null
  let anchor: { readonly block: Element; readonly offset: number } | null = null
  const offsetOf = (block: Element) =>
    block.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop
  return {
    note() {
      const block = uppermostBlock(scroller, content)
      anchor = block && { block, offset: offsetOf(block) }
    },
    hold() {
      if (!anchor?.block.isConnected) return
      const moved = offsetOf(anchor.block) - anchor.offset
      // Fractions of a pixel are lost, and would add up.
      if (Math.abs(moved) >= 1) scroller.scrollTop += moved
    },
  }
}

/** Also below a dialog, from whose list of conversations one has just been opened. */
function uppermostBlock(scroller: HTMLElement, content: HTMLElement): Element | null {
  const { top, bottom } = scroller.getBoundingClientRect()
  for (const group of content.querySelectorAll('[data-turns]:not([inert])')) {
    const place = group.getBoundingClientRect()
    if (place.bottom <= top) continue
    if (place.top >= bottom) return null
    const blocks = [...group.querySelectorAll(BLOCKS)]
    // A group that is not laid out yet will be higher, and push what is read below it.
    if (blocks[0]?.checkVisibility?.({ contentVisibilityAuto: true }) === false) continue
    const block = blocks.find(one => one.getBoundingClientRect().bottom > top)
    if (block) return block
  }
  return null
}
