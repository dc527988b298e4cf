import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jetbrains.kotlin.cli.common.CLIConfigurationKeys;
import org.jetbrains.kotlin.cli.common.config.ContentRootsKt;
import org.jetbrains.kotlin.cli.common.messages.MessageCollector;
import org.jetbrains.kotlin.cli.jvm.compiler.CliBindingTrace;
import org.jetbrains.kotlin.cli.jvm.compiler.EnvironmentConfigFiles;
import org.jetbrains.kotlin.cli.jvm.compiler.KotlinCoreEnvironment;
import org.jetbrains.kotlin.cli.jvm.compiler.TopDownAnalyzerFacadeForJVM;
import org.jetbrains.kotlin.cli.jvm.config.JvmContentRootsKt;
import org.jetbrains.kotlin.com.intellij.openapi.util.Disposer;
import org.jetbrains.kotlin.com.intellij.psi.PsiElement;
import org.jetbrains.kotlin.com.intellij.psi.PsiFile;
import org.jetbrains.kotlin.com.intellij.psi.PsiNameIdentifierOwner;
import org.jetbrains.kotlin.com.intellij.psi.util.PsiTreeUtil;
import org.jetbrains.kotlin.config.ApiVersion;
import org.jetbrains.kotlin.config.CommonConfigurationKeys;
import org.jetbrains.kotlin.config.CompilerConfiguration;
import org.jetbrains.kotlin.config.JVMConfigurationKeys;
import org.jetbrains.kotlin.config.LanguageFeature;
import org.jetbrains.kotlin.config.LanguageVersion;
import org.jetbrains.kotlin.config.LanguageVersionSettingsImpl;
import org.jetbrains.kotlin.descriptors.CallableDescriptor;
import org.jetbrains.kotlin.descriptors.CallableMemberDescriptor;
import org.jetbrains.kotlin.descriptors.ConstructorDescriptor;
import org.jetbrains.kotlin.descriptors.impl.TypeAliasConstructorDescriptor;
import org.jetbrains.kotlin.lexer.KtTokens;
import org.jetbrains.kotlin.psi.KtBinaryExpression;
import org.jetbrains.kotlin.psi.KtCallExpression;
import org.jetbrains.kotlin.psi.KtConstructorDelegationCall;
import org.jetbrains.kotlin.psi.KtElement;
import org.jetbrains.kotlin.psi.KtEnumEntry;
import org.jetbrains.kotlin.psi.KtFile;
import org.jetbrains.kotlin.psi.KtPrimaryConstructor;
import org.jetbrains.kotlin.psi.KtSecondaryConstructor;
import org.jetbrains.kotlin.psi.KtSimpleNameExpression;
import org.jetbrains.kotlin.psi.KtSuperTypeCallEntry;
import org.jetbrains.kotlin.psi.KtTreeVisitorVoid;
import org.jetbrains.kotlin.resolve.BindingContext;
import org.jetbrains.kotlin.resolve.DescriptorToSourceUtils;
import org.jetbrains.kotlin.resolve.calls.model.ResolvedCall;
import org.jetbrains.kotlin.resolve.calls.model.VariableAsFunctionResolvedCall;
import org.jetbrains.kotlin.resolve.calls.util.CallUtilKt;
import org.jetbrains.kotlin.resolve.sam.SamConstructorDescriptor;
import org.jetbrains.kotlin.types.KotlinType;

/**
 * Prints every call of a folder of Kotlin as Kotlin's compiler sees it:
 *
 * <pre>path:line:col TAB path:line TAB name     columns from 0, in bytes</pre>
 *
 * The place is that of the callee's last name, and where the callee is
 * declared; `-` for what is declared elsewhere, or nowhere (`copy()` of a data
 * class).  A primary constructor is its class, and so is one that nobody wrote,
 * and an interface that is made of a lambda.  Infix calls count; operators,
 * properties, annotations, references to functions and calls of values that
 * hold a function are no calls.  What the compiler finds no one answer for is
 * left out.
 *
 *     java -cp COMPILER KotlinCalls FOLDER CLASSPATH
 */
final class KotlinCalls extends KtTreeVisitorVoid {
    private final Path root;
    private final BindingContext bindings;
    private final TreeSet<String> lines = new TreeSet<>();
    private final Map<PsiFile, Text> texts = new HashMap<>();
    private int unresolved;

    private KotlinCalls(Path root, BindingContext bindings) {
        this.root = root;
        this.bindings = bindings;
    }

    public static void main(String[] args) throws IOException {
        Path root = Path.of(args[0]).toRealPath();
        KotlinCoreEnvironment environment =
            KotlinCoreEnvironment.createForProduction(
                Disposer.newDisposable(), configuration(root, args[1]),
                EnvironmentConfigFiles.JVM_CONFIG_FILES);
        List<KtFile> files = environment.getSourceFiles();
        BindingContext bindings =
            TopDownAnalyzerFacadeForJVM
                .analyzeFilesWithJavaIntegration(
                    environment.getProject(), files,
                    new CliBindingTrace(environment.getProject()),
                    environment.getConfiguration(),
                    environment::createPackagePartProvider)
                .getBindingContext();
        KotlinCalls calls = new KotlinCalls(root, bindings);
        for (KtFile file : files)
            file.accept(calls);
        calls.lines.forEach(System.out::println);
        System.err.println(calls.lines.size() + " calls, " + calls.unresolved
                           + " not resolved");
    }

    /** Of several platforms, `commonMain` and its like say what is expected. */
    private static boolean isCommon(Path path) {
        String first = path.getName(0).toString();
        return first.endsWith("Main") && !first.startsWith("jvmMain")
            && !first.startsWith("jdk");
    }

    private static CompilerConfiguration configuration(Path root,
                                                       String classes)
        throws IOException {
        CompilerConfiguration made = new CompilerConfiguration();
        List<File> jars = new ArrayList<>();
        List<Path> sources = new ArrayList<>();
        for (String jar : classes.split(File.pathSeparator))
            jars.add(new File(jar));
        try (Stream<Path> all = Files.walk(root)) {
            all.filter(p -> p.toString().endsWith(".kt"))
                .sorted()
                .forEach(sources::add);
        }
        made.put(CommonConfigurationKeys.MODULE_NAME, "calls");
        made.put(CLIConfigurationKeys.MESSAGE_COLLECTOR_KEY,
                 MessageCollector.Companion.getNONE());
        made.put(JVMConfigurationKeys.JDK_HOME,
                 new File(System.getProperty("java.home")));
        made.put(CommonConfigurationKeys.LANGUAGE_VERSION_SETTINGS,
                 new LanguageVersionSettingsImpl(
                     LanguageVersion.KOTLIN_1_9, ApiVersion.KOTLIN_1_9,
                     Map.of(), Map.of(LanguageFeature.MultiPlatformProjects,
                                      LanguageFeature.State.ENABLED)));
        JvmContentRootsKt.configureJdkClasspathRoots(made);
        JvmContentRootsKt.addJvmClasspathRoots(made, jars);
        JvmContentRootsKt.addJavaSourceRoot(made, root.toFile());
        for (Path source : sources)
            ContentRootsKt.addKotlinSourceRoot(
                made, source.toString(), isCommon(root.relativize(source)));
        return made;
    }

    /** The text of a file and where its lines begin, read once. */
    private record Text(String path, String text, int[] starts) {
        int lineAt(int offset) {
            int at = Arrays.binarySearch(starts, offset);
            return at >= 0 ? at : -at - 2;
        }
    }

    private Text textOf(PsiElement element) {
        return texts.computeIfAbsent(element.getContainingFile(), file -> {
            String text = file.getText();
            Path path = Path.of(file.getVirtualFile().getPath());
            IntStream ends = IntStream.range(0, text.length())
                                 .filter(i -> text.charAt(i) == '\n')
                                 .map(i -> i + 1);
            return new Text(root.relativize(path).toString(), text,
                            IntStream.concat(IntStream.of(0), ends).toArray());
        });
    }

    /** The path of the file, and the line of an offset in it. */
    private String lineOf(PsiElement element, int offset) {
        Text text = textOf(element);
        return text.path() + ":" + (text.lineAt(offset) + 1);
    }

    private String placeOfType(KotlinType type) {
        PsiElement at = DescriptorToSourceUtils.descriptorToDeclaration(
            type.getConstructor().getDeclarationDescriptor());
        return at instanceof PsiNameIdentifierOwner named
                && named.getNameIdentifier() != null
            ? lineOf(at, named.getNameIdentifier().getTextOffset())
            : "-";
    }

    /** Where what is called is declared, or `-`. */
    private String placeOf(CallableDescriptor callee) {
        CallableDescriptor written = callee.getOriginal();
        if (written instanceof TypeAliasConstructorDescriptor alias)
            written = alias.getUnderlyingConstructorDescriptor();
        // `Task { ... }` makes one of an interface with one method.
        if (written instanceof SamConstructorDescriptor made)
            return placeOfType(made.getReturnType());
        if (written instanceof CallableMemberDescriptor member
            && member.getKind() == CallableMemberDescriptor.Kind.SYNTHESIZED)
            return "-";
        PsiElement at = DescriptorToSourceUtils.descriptorToDeclaration(written);
        if (at == null && written instanceof ConstructorDescriptor made)
            at = DescriptorToSourceUtils.descriptorToDeclaration(
                made.getConstructedClass());
        if (at == null || at.getContainingFile() == null)
            return "-";
        if (at instanceof KtPrimaryConstructor primary)
            at = primary.getContainingClassOrObject();
        PsiElement name = at instanceof KtSecondaryConstructor second
            ? second.getConstructorKeyword()
            : at instanceof PsiNameIdentifierOwner named
                ? named.getNameIdentifier()
                : null;
        return lineOf(at, (name == null ? at : name).getTextOffset());
    }

    private void add(PsiElement at, KtElement call) {
        ResolvedCall<?> resolved = CallUtilKt.getResolvedCall(call, bindings);
        if (resolved == null) {
            unresolved++;
            return;
        }
        boolean isOfValue = resolved instanceof VariableAsFunctionResolvedCall;
        if (resolved instanceof VariableAsFunctionResolvedCall value)
            resolved = value.getFunctionCall();
        String place = placeOf(resolved.getResultingDescriptor());
        if (isOfValue && place.equals("-"))
            return;
        int offset = at.getTextRange().getStartOffset();
        Text text = textOf(at);
        int start = text.starts()[text.lineAt(offset)];
        int column = text.text().substring(start, offset)
                         .getBytes(StandardCharsets.UTF_8).length;
        String name = resolved.getResultingDescriptor().getName().asString();
        lines.add(lineOf(at, offset) + ":" + column + "\t" + place + "\t"
                  + name);
    }

    @Override
    public void visitCallExpression(KtCallExpression call) {
        // What stands for a value of its own, `f()()`, has no name.
        if (call.getCalleeExpression() instanceof KtSimpleNameExpression name)
            add(name, call);
        super.visitCallExpression(call);
    }

    @Override
    public void visitBinaryExpression(KtBinaryExpression binary) {
        KtSimpleNameExpression operator = binary.getOperationReference();
        if (binary.getOperationToken() == KtTokens.IDENTIFIER)
            add(operator, binary);
        super.visitBinaryExpression(binary);
    }

    @Override
    public void visitSuperTypeCallEntry(KtSuperTypeCallEntry entry) {
        KtEnumEntry constant =
            PsiTreeUtil.getParentOfType(entry, KtEnumEntry.class);
        boolean isOfConstant =
            constant != null && constant.getInitializerList() == entry.getParent();
        add(isOfConstant ? constant.getNameIdentifier() : entry, entry);
        super.visitSuperTypeCallEntry(entry);
    }

    @Override
    public void visitConstructorDelegationCall(
        KtConstructorDelegationCall call) {
        if (!call.isImplicit())
            add(call, call);
        super.visitConstructorDelegationCall(call);
    }
}
