/** The part of the Web Storage interface that is used here; tests bring their own with a quota. */
export interface StorageArea {
  readonly length: number
  key(index: number): string | null
  getItem(key: string): string | null
  setItem(key: string, text: string): void
  removeItem(key: string): void
  clear(): void
}

/** For browsers that refuse storage (private modes, blocked cookies): the page works, but nothing outlives it. */
export function createMemoryArea(): StorageArea {
  const texts = new Map<string, string>()
  return {
    get length() {
      return texts.size
    },
    key: index => [...texts.keys()][index] ?? null,
    getItem: key => texts.get(key) ?? null,
    setItem: (key, text) => {
      texts.set(key, text)
    },
    removeItem: key => {
      texts.delete(key)
    },
    clear: () => texts.clear(),
  }
}

/** The browser's own area; null on the server, and if the person or the browser blocks storage. */
export function findArea(name: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return typeof window === 'undefined' ? null : (window[name] ?? null)
  } catch {
    // Even reading the property throws a SecurityError.
    return null
  }
}

export function openArea(name: 'localStorage' | 'sessionStorage'): StorageArea {
  return findArea(name) ?? createMemoryArea()
}

/** Session storage: for what the page can do without, since there may be no room for it. */
export function keepInTab(key: string, text: string): void {
  try {
    openArea('sessionStorage').setItem(key, text)
  } catch {
    // Full, or refused: nothing is kept.
  }
}

export function keptInTab(key: string): string | null {
  return openArea('sessionStorage').getItem(key)
}
