/** What was answered in this file's tests and stands nowhere in the OpenAPI document; empty after each. */
export const undocumented: string[] = []
