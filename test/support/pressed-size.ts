import type { Locator } from '@playwright/test'

/** Further than any touch target reaches, to either side of its middle. */
const REACH_PX = 40

/** On how many whole pixels a button can be pressed, along the lines through its middle. */
export function pressedSize(button: Locator): Promise<{ width: number; height: number }> {
  return button.evaluate((element, reach) => {
    element.scrollIntoView({ block: 'center' })
    const { x, y, width, height } = element.getBoundingClientRect()
    const places = Array.from({ length: 2 * reach + 1 }, (_, place) => place - reach)
    const isHit = (aside: number, below: number) =>
      element.contains(document.elementFromPoint(x + width / 2 + aside, y + height / 2 + below))
    return {
      width: places.filter(aside => isHit(aside, 0)).length,
      height: places.filter(below => isHit(0, below)).length,
    }
  }, REACH_PX)
}
