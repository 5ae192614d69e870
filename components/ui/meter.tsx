import styles from './meter.module.css'

interface MeterProps {
  label: string
  value: number
  max: number
  /** The value as text, such as "$0.40 of $1". */
  valueText: string
  /** The meter warns from this share of the maximum on. */
  highShare?: number
}

const HIGH_SHARE_DEFAULT = 0.9

/** SVG, since its width is an attribute; the page's policy forbids style attributes. */
export function Meter({ label, value, max, valueText, highShare = HIGH_SHARE_DEFAULT }: MeterProps) {
  const share = max > 0 ? Math.min(Math.max(value / max, 0), 1) : 0
  return (
    <svg
      className={share >= highShare ? `${styles.meter} ${styles.high}` : styles.meter}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(Math.max(value, 0), max)}
      aria-valuetext={valueText}
    >
      <rect width={`${share * 100}%`} height="100%" rx="4" fill="currentColor" />
    </svg>
  )
}
