/**
 * One step of the schema: tables, constraints, indexes. Forward only: once a deployment has run it, it never
 * changes, and a correction is a new step. Each statement is run on its own, all steps in one transaction.
 */
export interface Migration {
  /** `0002-what-it-does`, as its file is called. */
  readonly name: string
  readonly statements: readonly string[]
}
