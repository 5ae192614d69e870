/**
 * Logs a line to the browser's console for somebody who looks for a cause; nothing else writes there. Never an
 * identifier, a secret or what a person wrote.
 */
export function logError(text: string): void {
  console.error(text)
}
