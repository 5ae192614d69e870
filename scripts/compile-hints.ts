import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Chrome compiles what follows while it arrives, beside the page's own thread; to others it is a comment. */
const HINT = '//# allFunctionsCalledOnLoad\n'
const PAGES = 'server/app/[locale]'
const SCRIPT = /static\/chunks\/[^"]+?\.js/g

/**
 * Marks the scripts that every page runs when it is opened: React, the router, what stands around each page.
 * Compiled on the page's own thread, function by function as they are called, they were half of what it did.
 * What only some pages run, or later, is better left to be compiled when it is used.
 *
 * @param directory of the build, with Next's lists of which page needs what
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
