import { useMemo } from 'react'
import { encode } from 'uqr'
import styles from './qr.module.css'

interface QrProps {
  value: string
  /** What scanning it does; the image's accessible name. */
  title: string
}

export function Qr({ value, title }: QrProps) {
  const { path, sizeModules } = useMemo(() => qrPath(value), [value])
  return (
    <svg className={styles.qr} viewBox={`0 0 ${sizeModules} ${sizeModules}`} role="img" aria-label={title}>
      <path d={path} fill="currentColor" shapeRendering="crispEdges" />
    </svg>
  )
}

/** The margin that scanners need on each side. */
const QUIET_ZONE_MODULES = 3

/** The dark modules of a QR code as one SVG path, with adjacent modules of a row joined. */
function qrPath(text: string): { path: string; sizeModules: number } {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE_MODULES })
  const runs: string[] = []
  for (const [y, row] of data.entries()) {
    let start = -1
    for (let x = 0; x <= size; x += 1) {
      if (row[x] && start < 0) start = x
      if (!row[x] && start >= 0) {
        runs.push(`M${start} ${y}h${x - start}v1h${start - x}z`)
        start = -1
      }
    }
  }
  return { path: runs.join(''), sizeModules: size }
}
