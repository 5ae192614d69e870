import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** What axe finds on the page as it stands: a list to be empty, each entry naming its rule and element. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  // On its way from one colour to another a button has neither's contrast.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(each => each.effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(ending.map(each => each.finished))
  })
  const { violations } = await new AxeBuilder({ page }).analyze()
  await page.emulateMedia({ reducedMotion: null })
  return violations.flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node.target.join(' ')}`))
}
