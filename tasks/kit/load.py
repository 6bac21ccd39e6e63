"""Categories are found by walking the tree: one file below a domain package is one category."""

import hashlib
import importlib
import importlib.util
import os
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from tasks.kit.category import AuthoringError, Category
from tasks.kit.taxonomy import cells

TREE = Path(__file__).parent.parent
OVERLAY_VARIABLE = "FAILMAP_OVERLAY"


def overlay_folder(given: str | Path | None = None) -> Path | None:
    """The operator's private folder: the argument, else the environment, else none."""
    chosen = given or os.environ.get(OVERLAY_VARIABLE)
    if not chosen:
        return None
    folder = Path(chosen).resolve()
    if not folder.is_dir():
        raise AuthoringError(f"the overlay {folder} is not a folder")
    return folder


def category_files(folder: Path) -> dict[str, Path]:
    """Category files of a tree by slug, sorted by path; kit and dunder files are none."""
    files = sorted(
        path
        for path in folder.glob("*/*.py")
        if path.parent.name != "kit" and not path.name.startswith("_")
    )
    return {path.stem.replace("_", "-"): path for path in files}


def load_category(slug: str, overlay: Path | None = None) -> Category:
    """One category by slug; AuthoringError says which file does not load, where and why.

    Other files are left alone, so that a category can be worked on while others are half-written.
    """
    path, origin = category_files(TREE).get(slug), "public"
    if path is None and overlay:
        path, origin = category_files(overlay).get(slug), "overlay"
    if path is None:
        raise AuthoringError(f"there is no category {slug}")
    try:
        if origin == "public":
            module = importlib.import_module(f"tasks.{path.parent.name}.{path.stem}")
        else:
            module = _import_file(path)
        return _named(module, path, origin)
    except Exception as error:
        where = f"{path.parent.name}/{path.name}"
        raise AuthoringError(f"{where} does not load: {_reason(error, path)}") from error


def _reason(error: Exception, path: Path) -> str:
    """Kind and text of what went wrong, with the line of the category file that it came from."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f"line {error.lineno}: {error.msg}"
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
    told = str(error) if isinstance(error, AuthoringError) else f"{type(error).__name__}: {error}"
    return f"line {lines[-1]}: {told}" if lines else told


def slugs(overlay: Path | None = None) -> tuple[str, ...]:
    """Every category built so far: map order, then the overlay's by path."""
    public = category_files(TREE)
    unknown = sorted(set(public) - set(cells()))
    if unknown:
        raise AuthoringError(f"not in the taxonomy: {', '.join(unknown)}")
    extra = category_files(overlay) if overlay else {}
    if both := sorted(set(public) & set(extra)):
        raise AuthoringError(f"the overlay repeats public categories: {', '.join(both)}")
    return (*(slug for slug in cells() if slug in public), *extra)


def load_categories(overlay: Path | None = None) -> dict[str, Category]:
    """Every category built so far by slug; AuthoringError names each file that does not load."""
    loaded: dict[str, Category] = {}
    broken: list[str] = []
    for slug in slugs(overlay):
        try:
            loaded[slug] = load_category(slug, overlay)
        except AuthoringError as error:
            broken.append(str(error))
    if broken:
        raise AuthoringError("; ".join(broken))
    return loaded


def corpus_digest(overlay: Path | None = None) -> str:
    """SHA-256 (hexadecimal) over path and bytes of each Python file of the tree and overlay."""
    digest = hashlib.sha256()
    for name, path in sorted(_corpus_files(overlay)):
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _corpus_files(overlay: Path | None) -> Iterator[tuple[str, Path]]:
    for prefix, folder in (("tasks", TREE), ("overlay", overlay)):
        if folder:
            for path in folder.rglob("*.py"):
                yield f"{prefix}/{path.relative_to(folder).as_posix()}", path


def _import_file(path: Path) -> ModuleType:
    name = f"failmap_overlay.{path.parent.name}.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise AuthoringError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _named(module: ModuleType, path: Path, origin: str) -> Category:
    category = getattr(module, "CATEGORY", None)
    if not isinstance(category, Category):
        raise AuthoringError("it has no CATEGORY")
    slug = path.stem.replace("_", "-")
    domain = path.parent.name.replace("_", "-")
    cell = cells().get(slug)
    title = cell.title if cell else (module.__doc__ or slug).strip().splitlines()[0].rstrip(".")
    return replace(category, slug=slug, domain=domain, title=title, origin=origin)
