/** What a phone's browser is for a test, whether of a project of phones or beside a computer's. */
export const PHONE = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  deviceScaleFactor: 2,
} as const
