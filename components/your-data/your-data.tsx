'use client'

import { useState } from 'react'
import layout from '@/components/ui/layout.module.css'
import { DataList } from './data-list'
import { DeleteEverything } from './delete-everything'
import { ExportForm } from './export-form'
import { ImportForm } from './import-form'

/** The account page's section on this browser's data: see, export, import and delete it. */
export function YourData() {
  const [importCount, setImportCount] = useState(0)
  return (
    <div className={layout.sections}>
      <DataList importCount={importCount} />
      <ExportForm />
      <ImportForm onImported={() => setImportCount(count => count + 1)} />
      <DeleteEverything />
    </div>
  )
}
