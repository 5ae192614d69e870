/**
 * Diagrams in answers are drawn in a frame without an origin: its library runs model output, and whatever that makes it
 * do, there is nothing to read, to request or to navigate to.
 */
export const DIAGRAM_FRAME_PATH = '/diagram.html'

export const DIAGRAM_FRAME_HTML = `<!doctype html><meta charset="utf-8"><meta name="robots" content="noindex"><title>Diagram</title><style>body{margin:0}svg{display:block;margin:auto}@media print{svg{min-width:0!important}}</style><script>const script = document.createElement('script'); script.src = '/diagram.js'; document.head.append(script)</script>`

/**
 * A drawing library needs styles of its own, and nothing else besides its script. What the script above loads runs, too:
 * in Safari nothing is `'self'` to a document without an origin.
 */
export const DIAGRAM_POLICY =
  "default-src 'none'; script-src 'sha256-kpBl0qiqTWRZ6SZwLGKHm77yuY7/BixBPmkjdJQhXcM=' 'strict-dynamic'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"

/** Nobody reads a longer diagram. */
export const DIAGRAM_LENGTH_MAX = 20_000
/** The height of the frame on the page; a higher diagram scrolls within it. */
const HEIGHT_MAX = 4_000

export interface DiagramRequest {
  readonly source: string
  readonly isDark: boolean
}

/** Height in pixels; null if it cannot be drawn, `lost` if the library could not be loaded. */
interface DiagramReply {
  readonly height: number | null | 'lost'
}

interface FrameScope {
  readonly parent: { postMessage(reply: DiagramReply, origin: string): void }
  readonly document: {
    readonly documentElement: {
      readonly style: { colorScheme: string; overflow: string }
      readonly scrollWidth: number
      readonly clientWidth: number
    }
    readonly body: {
      innerHTML: string
      readonly scrollHeight: number
      readonly firstElementChild: { readonly style: { readonly maxWidth: string; minWidth: string } } | null
      append(element: object): void
    }
    createElement(name: 'div'): {
      readonly style: { overflowX: string }
      readonly offsetHeight: number
      remove(): void
    }
  }
  addEventListener(
    type: 'message',
    listener: (event: { readonly source: unknown; readonly data: DiagramRequest }) => void,
  ): void
  addEventListener(type: 'resize', listener: () => void): void
}

interface LoadingScope {
  readonly parent: FrameScope['parent']
  readonly location: { readonly origin: string; readonly hash: string }
  readonly document: {
    createElement(name: 'script'): { src: string; onload: unknown; onerror: unknown }
    createElement(name: 'meta'): { httpEquiv: string; content: string }
    readonly head: { append(element: object): void }
  }
}

/**
 * Loads the drawing library from the path behind the frame's address, which anybody may have written: whatever it says,
 * it stays on this site. Once the library is here, the frame can load no other script. Sent as text, too.
 */
export function loadLibrary(scope: LoadingScope, then: () => void): void {
  const { parent, location, document } = scope
  const script = document.createElement('script')
  script.src = `${location.origin}/${location.hash.slice('#/'.length)}`
  script.onerror = () => parent.postMessage({ height: 'lost' }, '*')
  script.onload = () => {
    const policy = document.createElement('meta')
    policy.httpEquiv = 'content-security-policy'
    policy.content = "script-src 'none'"
    document.head.append(policy)
    then()
  }
  document.head.append(script)
}

interface Mermaid {
  initialize(settings: Record<string, unknown>): void
  render(id: string, source: string): Promise<{ svg: string }>
}

/** What runs in the frame once the library is loaded: one self-contained function, since it is sent as text. */
export function drawDiagrams(scope: FrameScope, mermaid: Mermaid): void {
  // Zero where scroll bars lie upon what they scroll.
  const scrollBarHeight = () => {
    const empty = scope.document.createElement('div')
    empty.style.overflowX = 'scroll'
    scope.document.body.append(empty)
    const height = empty.offsetHeight
    empty.remove()
    return height
  }
  const tellHeight = () => {
    const { documentElement, body } = scope.document
    // The scroll bar of a frame that was too low must not narrow what it is measured for.
    documentElement.style.overflow = 'hidden'
    const isWide = documentElement.scrollWidth > documentElement.clientWidth
    const height = body.scrollHeight + (isWide ? scrollBarHeight() : 0)
    documentElement.style.overflow = ''
    // Zero would mean that the frame is ready. Nobody else can receive this: the frame's only parent is our page.
    if (height > 0) scope.parent.postMessage({ height }, '*')
  }
  scope.addEventListener('message', async ({ source: sender, data }) => {
    if (sender !== scope.parent) return
    const theme = data.isDark ? 'dark' : 'neutral'
    // Browsers paint a frame white if its colour scheme differs from that of the page around it.
    scope.document.documentElement.style.colorScheme = data.isDark ? 'dark' : 'light'
    mermaid.initialize({ startOnLoad: false, securityLevel: 'strict', suppressErrorRendering: true, theme })
    try {
      const { svg } = await mermaid.render('diagram', data.source)
      scope.document.body.innerHTML = svg
      // The library tells the size at which its text is as large as the page's, and then shrinks to the frame: on a
      // phone until nobody can read it. Below three quarters of that the diagram scrolls instead.
      const drawn = scope.document.body.firstElementChild
      if (drawn) drawn.style.minWidth = `calc(${Number.parseFloat(drawn.style.maxWidth) || 0}px * 0.75)`
      tellHeight()
    } catch {
      scope.parent.postMessage({ height: null }, '*')
    }
  })
  // A diagram is as wide as its frame at the most, so that turning a phone changes its height.
  scope.addEventListener('resize', tellHeight)
  scope.parent.postMessage({ height: 0 }, '*')
}

/** Reads the frame's messages: `ready`, a height, or why the diagram cannot be drawn; null for anything else. */
export function readDiagramReply(data: unknown): 'ready' | 'failed' | 'lost' | { height: number } | null {
  const height = typeof data === 'object' && data !== null && 'height' in data ? data.height : undefined
  if (height === null) return 'failed'
  if (height === 'lost') return 'lost'
  if (typeof height !== 'number' || !Number.isFinite(height) || height < 0) return null
  return height === 0 ? 'ready' : { height: Math.min(Math.ceil(height), HEIGHT_MAX) }
}
