/**
 * One step of the schema: tables, constraints, indexes. Forward only: once a deployment has run it, it never
 * changes, and a correction is a new step. Each statement is run on its own, all steps in one transaction.
 */
export interface Migration {
  /** `0002-what-it-does`, as its file is called. */
  readonly name: string
  readonly statements: readonly string[]
  /**
   * Run once those and the functions are committed, each in a transaction of its own: calls that waited for a table
   * meanwhile go on in the text of a function that they began in, and do not know what is new.
   */
  readonly afterwards?: readonly string[]
}
