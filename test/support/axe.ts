import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/**
 * The problems that axe finds on the current page: a list that should be empty, each entry with its rule and element.
 */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  // A button in transition from one colour to another has the contrast of neither.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(each => each.effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(ending.map(each => each.finished))
  })
  // Of what violates no rule, it would describe each element too; to put together what it finds in frames, it opens
  // another page.
  const { violations } = await new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .setLegacyMode(page.frames().length === 1)
    .analyze()
  await page.emulateMedia({ reducedMotion: null })
  return violations.flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node.target.join(' ')}`))
}
