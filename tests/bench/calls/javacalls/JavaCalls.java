import com.sun.source.tree.AnnotatedTypeTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParameterizedTypeTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.tools.Diagnostic;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Prints every call of a folder of Java as javac sees it:
 *
 * <pre>path:line:col TAB path:line TAB name     columns from 0, in bytes</pre>
 *
 * The place is that of the callee's last name, and where the callee is
 * declared; `-` for what is declared elsewhere, or nowhere (`values()` of an
 * enum, accessors of a record).  A constructor that nobody wrote is its class,
 * and so is that of a class without a name: the class it extends.  References
 * to methods are no calls.
 *
 *     java JavaCalls.java FOLDER CLASSPATH
 */
final class JavaCalls {
    private final Path root;
    private final Trees trees;
    private final SourcePositions positions;
    private final TreeSet<String> lines = new TreeSet<>();

    private JavaCalls(Path root, Trees trees) {
        this.root = root;
        this.trees = trees;
        this.positions = trees.getSourcePositions();
    }

    public static void main(String[] args) throws IOException {
        Path root = Path.of(args[0]).toRealPath();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options = Arrays.asList(
            "-proc:none", "-implicit:none", "-encoding", "UTF-8", "-Xmaxerrs",
            "100000", "-XDshould-stop.ifError=FLOW", "-classpath", args[1]);
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> all = Files.walk(root)) {
            all.filter(p -> p.toString().endsWith(".java"))
                // Of what the release says: without modules, and once.
                .filter(p -> !p.endsWith("module-info.java"))
                .filter(p -> !root.relativize(p).startsWith("META-INF"))
                .sorted()
                .forEach(sources::add);
        }
        var files = compiler.getStandardFileManager(
            null, null, StandardCharsets.UTF_8);
        var task = (JavacTask) compiler.getTask(
            null, files,
            d -> {
                if (d.getKind() == Diagnostic.Kind.ERROR)
                    System.err.println(d);
            },
            options, null, files.getJavaFileObjectsFromPaths(sources));
        Iterable<? extends CompilationUnitTree> units = task.parse();
        task.analyze();
        JavaCalls calls = new JavaCalls(root, Trees.instance(task));
        for (CompilationUnitTree unit : units)
            calls.new Scan(unit).scan(unit, null);
        calls.lines.forEach(System.out::println);
    }

    private String pathOf(CompilationUnitTree unit) {
        Path path = Path.of(unit.getSourceFile().toUri());
        return root.relativize(path).toString().replace('\\', '/');
    }

    /** Where an element is declared in the folder, or `-`. */
    private String placeOf(Element element) {
        TreePath path = trees.getPath(element);
        boolean isWritten = path != null
            && trees.getTree(element) != null
            && positions.getEndPosition(path.getCompilationUnit(),
                                        trees.getTree(element)) != Diagnostic.NOPOS;
        if (!isWritten)
            return element.getKind() == ElementKind.CONSTRUCTOR
                ? placeOfClass(element.getEnclosingElement())
                : "-";
        return placeOf(path, element);
    }

    private String placeOfClass(Element element) {
        TreePath path = trees.getPath(element);
        return path == null ? "-" : placeOf(path, element);
    }

    private String placeOf(TreePath path, Element element) {
        CompilationUnitTree unit = path.getCompilationUnit();
        Tree tree = path.getLeaf();
        boolean isConstructor = element.getKind() == ElementKind.CONSTRUCTOR;
        Element named = isConstructor ? element.getEnclosingElement() : element;
        long from = positions.getStartPosition(unit, tree);
        long to = positions.getEndPosition(unit, tree);
        long at = nameIn(textOf(unit), from, to, tree,
                         named.getSimpleName().toString(), unit);
        return pathOf(unit) + ":" + unit.getLineMap().getLineNumber(at);
    }

    /** The name of a declaration stands behind its modifiers and its type. */
    private long nameIn(CharSequence text, long from, long to, Tree tree,
                        String name, CompilationUnitTree unit) {
        long at = from;
        if (tree instanceof com.sun.source.tree.ClassTree type)
            at = endOf(unit, type.getModifiers(), from);
        if (tree instanceof com.sun.source.tree.MethodTree method) {
            at = endOf(unit, method.getModifiers(), from);
            for (Tree parameter : method.getTypeParameters())
                at = endOf(unit, parameter, at);
            at = endOf(unit, method.getReturnType(), at);
        }
        for (long i = at; i + name.length() <= to; i++) {
            long end = i + name.length();
            if (text.subSequence((int) i, (int) end).toString().equals(name)
                && !isPartOfName(text, i - 1) && !isPartOfName(text, end))
                return i;
        }
        return from;
    }

    private long endOf(CompilationUnitTree unit, Tree tree, long otherwise) {
        long end = tree == null ? -1 : positions.getEndPosition(unit, tree);
        return end < 0 ? otherwise : end;
    }

    private static boolean isPartOfName(CharSequence text, long at) {
        return at >= 0 && at < text.length()
            && Character.isJavaIdentifierPart(text.charAt((int) at));
    }

    private CompilationUnitTree textUnit;
    private CharSequence text;

    private CharSequence textOf(CompilationUnitTree unit) {
        if (textUnit == unit)
            return text;
        try {
            text = unit.getSourceFile().getCharContent(true);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        textUnit = unit;
        return text;
    }

    private final class Scan extends TreePathScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final String path;
        private final CharSequence source;

        Scan(CompilationUnitTree unit) {
            this.unit = unit;
            this.path = pathOf(unit);
            this.source = textOf(unit);
        }

        private void add(long at, String name, String place) {
            long end = at + name.length();
            // What the compiler added (`super()`) stands nowhere.
            if (at < 0 || end > source.length()
                || !source.subSequence((int) at, (int) end).toString()
                        .equals(name))
                return;
            LineMap map = unit.getLineMap();
            long line = map.getLineNumber(at);
            long start = map.getStartPosition(line);
            int column = source.subSequence((int) start, (int) at).toString()
                .getBytes(StandardCharsets.UTF_8).length;
            lines.add(path + ":" + line + ":" + column + "\t" + place + "\t"
                + name);
        }

        /** Where the last name of a callee or a type begins; it ends there. */
        private void addNamed(Tree named, String place) {
            if (named instanceof ParameterizedTypeTree generic) {
                addNamed(generic.getType(), place);
            } else if (named instanceof AnnotatedTypeTree annotated) {
                addNamed(annotated.getUnderlyingType(), place);
            } else if (named instanceof MemberSelectTree member) {
                String name = member.getIdentifier().toString();
                long end = positions.getEndPosition(unit, member);
                add(end - name.length(), name, place);
            } else if (named instanceof IdentifierTree identifier) {
                add(positions.getStartPosition(unit, identifier),
                    identifier.getName().toString(), place);
            }
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree tree, Void v) {
            ExpressionTree select = tree.getMethodSelect();
            Element callee =
                trees.getElement(new TreePath(getCurrentPath(), select));
            boolean isCall = callee != null
                && (callee.getKind() == ElementKind.METHOD
                    || callee.getKind() == ElementKind.CONSTRUCTOR);
            if (isCall)
                addNamed(select, placeOf(callee));
            return super.visitMethodInvocation(tree, v);
        }

        private String placeOfMade(NewClassTree tree, TreePath at) {
            if (tree.getClassBody() != null) {
                Element type = trees.getElement(
                    new TreePath(at, tree.getIdentifier()));
                return type == null ? null : placeOfClass(type);
            }
            Element made = trees.getElement(at);
            return made == null || made.getKind() != ElementKind.CONSTRUCTOR
                ? null
                : placeOf(made);
        }

        @Override
        public Void visitNewClass(NewClassTree tree, Void v) {
            String place = placeOfMade(tree, getCurrentPath());
            if (place != null)
                addNamed(tree.getIdentifier(), place);
            return super.visitNewClass(tree, v);
        }

        @Override
        public Void visitVariable(VariableTree tree, Void v) {
            Element element = trees.getElement(getCurrentPath());
            boolean isConstant = element != null
                && element.getKind() == ElementKind.ENUM_CONSTANT;
            if (isConstant
                && tree.getInitializer() instanceof NewClassTree made) {
                String name = tree.getName().toString();
                String place = made.getClassBody() == null
                    ? placeOfMade(made, new TreePath(getCurrentPath(), made))
                    : placeOfClass(element.getEnclosingElement());
                long at = positions.getStartPosition(unit, tree);
                at = endOf(unit, tree.getModifiers(), at);
                while (at < source.length()
                       && Character.isWhitespace(source.charAt((int) at)))
                    at++;
                if (place != null)
                    add(at, name, place);
            }
            return super.visitVariable(tree, v);
        }
    }
}
