import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Makes Chrome compile what follows while it arrives, off the main thread; for other browsers it is a comment. */
const HINT = '//# allFunctionsCalledOnLoad\n'
const PAGES = 'server/app/[locale]'
const SCRIPT = /static\/chunks\/[^"]+?\.js/g

/**
 * Marks the scripts that every page runs when it is opened: React, the router, the shell around each page. Compiled
 * lazily on the main thread, function by function, they took half of its time. Scripts that only some pages run, or run
 * later, are better compiled when they are used.
 *
 * @param directory the build's, with Next's manifests of which page needs what
 */
export async function hintScripts(directory: string): Promise<void> {
  const read = (path: string) => readFile(join(directory, path), 'utf8')
  const { rootMainFiles }: { rootMainFiles: string[] } = JSON.parse(await read('build-manifest.json'))
  const names = await readdir(join(directory, PAGES), { recursive: true })
  const lists = await Promise.all(
    names
      .filter(name => name.endsWith('page_client-reference-manifest.js'))
      .map(async (name): Promise<string[]> => (await read(join(PAGES, name))).match(SCRIPT) ?? []),
  )
  const common = lists[0]?.filter(script => lists.every(list => list.includes(script))) ?? []
  await Promise.all(
    Array.from(new Set([...rootMainFiles, ...common]), async script => {
      const text = await read(script)
      if (!text.startsWith(HINT)) await writeFile(join(directory, script), HINT + text)
    }),
  )
}
