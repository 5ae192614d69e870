import { useMemo } from 'react'
import styles from './qr.module.css'
import { qrPath } from './qr-path'

interface QrProps {
  value: string
  /** What scanning it does; the picture's accessible name. */
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
