export const VITAL_NAMES = ['LCP', 'FID', 'CLS', 'INP'] as const
export type VitalName = (typeof VITAL_NAMES)[number]
export type VitalRating = 'good' | 'needs-improvement' | 'poor'

/**
 * The limits up to which a value is good, and up to which it merely needs improvement. LCP, FID and the good limit of
 * CLS are from the specification. It does not give the upper limit of CLS, nor INP, which has replaced FID: these are
 * the published thresholds of web.dev (CLS 0.25; INP 200 and 500 ms).
 */
const THRESHOLDS: Record<VitalName, { goodMax: number; needsImprovementMax: number }> = {
  LCP: { goodMax: 2_500, needsImprovementMax: 2_500 * 1.5 },
  FID: { goodMax: 100, needsImprovementMax: 100 * 3 },
  CLS: { goodMax: 0.1, needsImprovementMax: 0.25 },
  INP: { goodMax: 200, needsImprovementMax: 500 },
}

/** @param value milliseconds; for CLS a share without a unit */
export function rateVital(name: VitalName, value: number): VitalRating {
  const { goodMax, needsImprovementMax } = THRESHOLDS[name]
  if (value <= goodMax) return 'good'
  return value <= needsImprovementMax ? 'needs-improvement' : 'poor'
}
