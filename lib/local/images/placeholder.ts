import type { StoredImage } from './stored-image'

/** One transparent pixel, as PNG. */
export const PLACEHOLDER_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR4nGNgYAAAAAMAAbitOmMAAAAASUVORK5CYII='
export const PLACEHOLDER_DATA_URL = `data:image/png;base64,${PLACEHOLDER_BASE64}`

export function isPlaceholder(image: StoredImage): boolean {
  return image.base64_json === PLACEHOLDER_BASE64 || image.base64_json === PLACEHOLDER_DATA_URL
}
