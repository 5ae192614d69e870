/**
 * One step of the schema: tables, constraints, indexes. Forward only: once a deployment has run it, it never changes,
 * and a correction is a new step. Each statement runs by itself, all steps in one transaction.
 */
export interface Migration {
  /** `0002-what-it-does`, the same as its file name. */
  readonly name: string
  readonly statements: readonly string[]
  /**
   * Run after those and the functions are committed, each in a transaction of its own. Calls that were waiting for a
   * table meanwhile continue in the function text they started with, which does not know the new columns. Whoever
   * starts next runs them (again) if the process ends before, so they can be repeated.
   */
  readonly afterwards?: readonly string[]
}
