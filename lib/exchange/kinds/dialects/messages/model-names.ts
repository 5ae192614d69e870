const DATE_OR_LATEST = /-(?:\d{8}|latest)$/
/** A suffix for a longer context, which Claude Code appends to the name. */
const CONTEXT_MARK = /\[1m\]$/i

/**
 * The catalogue's possible ids for a model of Anthropic's: `claude-3-5-haiku-latest` and `claude-sonnet-4-5-20250929`
 * are `anthropic/claude-3.5-haiku` and `anthropic/claude-sonnet-4.5` there. The name itself comes first.
 */
export function anthropicModelNames(model: string): readonly string[] {
  const name = model.replace(CONTEXT_MARK, '')
  if (!/^(?:anthropic\/)?claude-/.test(name)) return [name]
  const bare = name.replace(/^anthropic\//, '')
  const undated = bare.replace(DATE_OR_LATEST, '')
  const dotted = undated.replace(/(\d)-(\d)(?!\d)/, '$1.$2')
  const short = dotted.replace(/\.0(?!\d)/, '')
  const others = [bare, undated, dotted, short].flatMap(each => [`anthropic/${each}`, each])
  return [...new Set([name, ...others])]
}

/** Anthropic's own spelling of one of its models; any other model keeps its id. */
export function anthropicModelId(modelId: string): string {
  const spelled = modelId.replace(/^anthropic\/(?=claude-)/, '').replace(/(\d)\.(\d)/, '$1-$2')
  return spelled !== modelId && anthropicModelNames(spelled).includes(modelId) ? spelled : modelId
}
