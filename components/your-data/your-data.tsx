'use client'

import layout from '@/components/ui/layout.module.css'
import { DataList } from './data-list'
import { DeleteEverything } from './delete-everything'
import { ExportForm } from './export-form'
import { ImportForm } from './import-form'

/** The account page's section on this browser's data: see, export, import and delete it. */
export function YourData() {
  return (
    <div className={layout.sections}>
      <DataList />
      <ExportForm />
      <ImportForm />
      <DeleteEverything />
    </div>
  )
}
