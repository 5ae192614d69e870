/** What this file's tests were answered that is not in the OpenAPI document; emptied after each test. */
export const undocumented: string[] = []
