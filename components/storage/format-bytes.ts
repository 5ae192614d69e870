import { BYTES_PER_MEGABYTE } from '@/lib/documents/domain/document-limits'

const BYTES_PER_KILOBYTE = 1_000

/** A size in whole kilobytes, or in megabytes with one decimal. */
export function formatBytes(bytes: number, locale: string): string {
  const isLarge = bytes >= BYTES_PER_MEGABYTE
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: isLarge ? 'megabyte' : 'kilobyte',
    maximumFractionDigits: isLarge ? 1 : 0,
  }).format(isLarge ? bytes / BYTES_PER_MEGABYTE : Math.ceil(bytes / BYTES_PER_KILOBYTE))
}
