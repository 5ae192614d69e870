'use client'

import { DataList } from './data-list'
import { DeleteEverything } from './delete-everything'
import { ExportForm } from './export-form'
import { ImportForm } from './import-form'
import styles from './your-data.module.css'

/** The account page's section: what is stored in this browser, and how to take, bring or delete it. */
export function YourData() {
  return (
    <div className={styles.section}>
      <DataList />
      <ExportForm />
      <ImportForm />
      <DeleteEverything />
    </div>
  )
}
