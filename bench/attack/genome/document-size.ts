/** The size of a part of a document that this search wrote. */
export const sizeOf = (text: string) => ({
  tokens: countTokens(text),
  aliases: text.match(/\ba\d+_x*: /g)?.length ?? 0,
});

/** About how many tokens GraphQL's parser finds in a text. Strings may be long, so no expression reads them. */
function countTokens(text: string): number {
  let count = 0;
  let isInName = false;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text.charAt(at);
    const isName = /[\w.-]/.test(mark);
    if (mark === '"') at = endOfString(text, at);
    if (isName ? !isInName : !/[\s,]/.test(mark)) count += 1;
    isInName = isName;
  }
  return count;
}

function endOfString(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; at += 1) {
    const mark = text.charAt(at);
    if (mark === '\\') at += 1;
    else if (mark === '"') return at;
  }
  return text.length;
}
