import type { IconNode } from 'lucide'
import { createElement } from 'react'

interface IconProps {
  /** The icon's shapes as data, so that a page contains only the icons that it shows. */
  icon: IconNode
  /** In pixels. */
  size: number
  strokeWidth?: number
  fill?: 'none' | 'currentColor'
  className?: string
}

/** An icon beside text or in a named button; hidden from screen readers. */
export function Icon({ icon, size, strokeWidth = 2, fill = 'none', className }: IconProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill={fill}
      stroke="currentColor"
      strokeWidth={strokeWidth}
      strokeLinecap="round"
      strokeLinejoin="round"
      className={className}
      aria-hidden="true"
    >
      {icon.map(([shape, attributes]) =>
        createElement(shape, { key: JSON.stringify(attributes), ...attributes }),
      )}
    </svg>
  )
}
