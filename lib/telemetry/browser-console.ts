/**
 * A line in the browser's console for whoever looks for a cause: the one place that writes there. Never
 * an identifier, a secret or what a person wrote.
 */
export function logError(text: string): void {
  console.error(text)
}
