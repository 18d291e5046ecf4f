import {
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** The pages of the site, in the order in which readers need them. */
const GROUPS = {
  'For frontend developers': [
    'README.md',
    'docs/clients.md',
    'docs/schema.md',
    'docs/live.md',
    'docs/paging.md',
    'docs/errors.md',
  ],
  'For operators': [
    'docs/check.md',
    'docs/operating.md',
    'docs/scaling.md',
    'docs/security.md',
    'docs/trusted-documents.md',
    'docs/security-attacks.md',
    'docs/reliability.md',
    'docs/performance.md',
    'docs/composing.md',
    'docs/library.md',
    'SECURITY.md',
  ],
  'For contributors': [
    'CONTRIBUTING.md',
    'docs/flow.md',
    'docs/interface.md',
    'docs/open-points.md',
    'docs/performance-tried.md',
    'CHANGELOG.md',
  ],
};

const ROOT = join(import.meta.dirname, '..');
const pages = Object.values(GROUPS).flat();
const missing = globSync('docs/*.md', { cwd: ROOT }).filter(
  (file) => !pages.includes(file),
);
if (missing.length > 0)
  throw new Error(`No group in site/pages.js has ${missing.join(', ')}.`);

/** Other files of the repository that the pages link to. The site shows these too. */
const sources = new Set();

const read = (file) => readFileSync(join(ROOT, file), 'utf8');
const isFolder = (file) => statSync(join(ROOT, file)).isDirectory();
const isPage = (file) => file.endsWith('.md');

const toTitle = (file) =>
  file === 'README.md' ? 'Start' : (/^# (.*)$/m.exec(read(file))?.[1] ?? file);

/** Where the site has a file of the repository. */
function toAddress(file) {
  if (file === 'README.md') return '/';
  return isPage(file) ? `/${file}` : `/source/${file}.html`;
}

const PICTURES = 'docs/pictures';

/** A page as it is on GitHub, but for the addresses of its links, and of its pictures. */
function toPage(file) {
  const text = read(file).replaceAll(`src="${PICTURES}/`, `src="/${PICTURES}/`);
  return text.replaceAll(/\]\((?!\w+:|#)([^)\s]+)\)/g, (_link, target) => {
    const [path, hash] = target.split('#');
    const linked = posix.join(posix.dirname(file), path).replace(/\/$/, '');
    if (!isPage(linked)) addSource(linked);
    return `](${toAddress(linked)}${hash === undefined ? '' : `#${hash}`})`;
  });
}

function addSource(file) {
  if (sources.has(file)) return;
  sources.add(file);
  if (isFolder(file)) for (const other of filesIn(file)) addSource(other);
}

const filesIn = (folder) =>
  globSync(`${folder}/*.*`, { cwd: ROOT })
    // The site would take index.html for the page of its folder.
    .filter((file) => !isFolder(file) && !file.endsWith('.html'))
    .toSorted();

function toSource(file) {
  const content = isFolder(file)
    ? filesIn(file).map((one) => `- [${posix.basename(one)}](${toAddress(one)})`)
    : [`\`\`\`\`${posix.extname(file).slice(1)}`, read(file), '````'];
  return `# ${file}\n\n${content.join('\n')}\n`;
}

function write(name, text) {
  const path = join(import.meta.dirname, 'pages', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Puts README.md, docs/ and what they link to into `pages/`, from which the site is made. Returns its sidebar. */
export function makePages() {
  rmSync(join(import.meta.dirname, 'pages'), { recursive: true, force: true });
  cpSync(join(ROOT, PICTURES), join(import.meta.dirname, 'pages/public', PICTURES), {
    recursive: true,
  });
  for (const file of pages) write(file === 'README.md' ? 'index.md' : file, toPage(file));
  for (const file of sources) write(`source/${file}.md`, toSource(file));
  return Object.entries(GROUPS).map(([text, files]) => ({
    text,
    items: files.map((file) => ({ text: toTitle(file), link: toAddress(file) })),
  }));
}
