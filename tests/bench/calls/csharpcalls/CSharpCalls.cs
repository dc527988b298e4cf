// What Mono's C# compiler makes of each call of a folder of sources.
//
//     CSharpCalls ROOT OPTIONS...      as mcs takes them: -r: -d: -recurse:
//
// Prints `path:line:col <tab> path:line[,path:line...] <tab> name`: the place
// of the callee's last name (columns from 0, in bytes), where what it calls is
// declared, `-` for what is outside, and its name; paths are relative to ROOT.
//
// The compiler is used as a library and run as its own driver would run it.
// Bodies are let go as soon as each is emitted, so all blocks are collected
// before, and are searched for resolved calls afterwards: lambdas are resolved
// in copies, which are found from there.  Errors are told and do not end it:
// what does not resolve has no line.
using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Text;
using Mono.CSharp;

class Same : IEqualityComparer<object> {
    bool IEqualityComparer<object>.Equals(object a, object b) {
        return ReferenceEquals(a, b);
    }

    int IEqualityComparer<object>.GetHashCode(object a) {
        return RuntimeHelpers.GetHashCode(a);
    }
}

static class CSharpCalls {
    const BindingFlags All = BindingFlags.Instance | BindingFlags.Public |
                             BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
    static readonly Dictionary<Type, FieldInfo[]> fields =
        new Dictionary<Type, FieldInfo[]>();
    static readonly Dictionary<string, byte[][]> sources =
        new Dictionary<string, byte[][]>();
    static readonly SortedSet<string> rows =
        new SortedSet<string>(StringComparer.Ordinal);
    static string root;

    // ---- the compiler ----

    static object Make(string type, params object[] arguments) {
        return Activator.CreateInstance(
            typeof(ModuleContainer).Assembly.GetType("Mono.CSharp." + type), All,
            null, arguments, null);
    }

    static void Call(object on, string name, params object[] arguments) {
        for (Type type = on.GetType(); type != null; type = type.BaseType)
            foreach (MethodInfo method in type.GetMethods(All))
                if (method.Name == name &&
                    method.GetParameters().Length == arguments.Length &&
                    !method.IsAbstract) {
                    method.Invoke(on, arguments);
                    return;
                }
        throw new MissingMethodException(name);
    }

    // Where one cannot be, because of an error, the others are.
    static void Each(ModuleContainer module, Action<TypeContainer> emit) {
        foreach (TypeContainer container in module.Containers.ToArray())
            try {
                emit(container);
            } catch (Exception e) {
                Console.Error.WriteLine("left out: {0}: {1}", container.GetType(),
                                        e.GetBaseException().Message);
            }
    }

    static ModuleContainer Compile(CompilerSettings settings,
                                   List<object> blocks) {
        var context = new CompilerContext(
            settings, new StreamReportPrinter(Console.Error));
        var module = new ModuleContainer(context);
        typeof(RootContext).GetProperty("ToplevelTypes").SetValue(null, module);
        object driver = Make("Driver", context);

        driver.GetType().GetMethods(All).First(
            m => m.Name == "Parse" && m.GetParameters().Length == 1)
            .Invoke(driver, new object[] { module });
        var assembly = new AssemblyDefinitionDynamic(module, "calls", "calls.dll");
        module.SetDeclaringAssembly(assembly);
        var importer = new ReflectionImporter(module, context.BuiltinTypes) {
            IgnorePrivateMembers = true
        };
        assembly.Importer = importer;
        object loader = Make("DynamicLoader", importer, context);
        Call(loader, "LoadReferences", module);
        context.BuiltinTypes.CheckDefinitions(module);
        assembly.Create(AppDomain.CurrentDomain, AssemblyBuilderAccess.Save);
        module.CreateContainer();
        module.InitializePredefinedTypes();
        module.Define();
        // Its permission cannot be written where the compiler is a library.
        bool isUnsafe = settings.Unsafe;
        settings.Unsafe = false;
        assembly.Resolve();
        settings.Unsafe = isUnsafe;
        Crawl(module, o => { if (o is Block || o is MemberCore) blocks.Add(o); });
        Each(module, container => container.PrepareEmit());
        Each(module, container => container.EmitContainer());
        return module;
    }

    // ---- all that hangs together ----

    static FieldInfo[] FieldsOf(Type type) {
        FieldInfo[] known;

        if (fields.TryGetValue(type, out known))
            return known;
        var list = new List<FieldInfo>();
        for (Type at = type; at != null; at = at.BaseType)
            list.AddRange(at.GetFields(All).Where(
                f => !f.FieldType.IsPrimitive && f.FieldType != typeof(string) &&
                     !f.FieldType.IsEnum));
        return fields[type] = list.ToArray();
    }

    static bool IsOfCompiler(Type type) {
        return type.Assembly == typeof(ModuleContainer).Assembly;
    }

    static void Crawl(object from, Action<object> meet) {
        var seen = new HashSet<object>(new Same());
        var queue = new Stack<object>();

        queue.Push(from);
        while (queue.Count > 0) {
            object at = queue.Pop();
            if (at == null || at is string || at is System.Delegate || !seen.Add(at))
                continue;
            var list = at as IEnumerable;
            if (list != null && (at is Array || at is IList || at is IDictionary)) {
                var dictionary = at as IDictionary;
                foreach (object item in dictionary != null ? dictionary.Values : list)
                    queue.Push(item);
                continue;
            }
            Type type = at.GetType();
            if (!IsOfCompiler(type) || type.Name.StartsWith("Imported"))
                continue;
            meet(at);
            foreach (FieldInfo field in FieldsOf(type))
                queue.Push(field.GetValue(at));
        }
    }

    static object Field(object of, string name) {
        return FieldsOf(of.GetType()).First(f => f.Name == name).GetValue(of);
    }

    // ---- places ----

    static string PathOf(Location at) {
        string full = Path.GetFullPath(at.NameFullPath);

        return full.StartsWith(root, StringComparison.Ordinal)
                   ? full.Substring(root.Length)
                   : null;
    }

    static byte[][] LinesOf(string path) {
        byte[][] lines;

        if (!sources.TryGetValue(path, out lines)) {
            string text = Encoding.GetEncoding(28591)
                              .GetString(File.ReadAllBytes(root + path));
            lines = text.Split('\n').Select(
                line => Encoding.GetEncoding(28591).GetBytes(line)).ToArray();
            sources[path] = lines;
        }
        return lines;
    }

    // Columns of the compiler count characters, from 1.
    static int ByteColumn(string path, Location at) {
        byte[][] lines = LinesOf(path);
        string text = at.Row <= lines.Length
                          ? Encoding.UTF8.GetString(lines[at.Row - 1])
                          : "";
        int column = at.Column - 1;

        return column > 0 && column <= text.Length
                   ? Encoding.UTF8.GetByteCount(text.Substring(0, column))
                   : column;
    }

    static void AddPlace(SortedSet<string> places, MemberCore member) {
        if (!member.Location.IsNull && PathOf(member.Location) != null)
            places.Add(PathOf(member.Location) + ":" + member.Location.Row);
    }

    // A constructor that nobody wrote is its class, in all its parts.
    static SortedSet<string> PlacesOf(MethodSpec method) {
        var places = new SortedSet<string>(StringComparer.Ordinal);
        var member = method.MemberDefinition as MemberCore;

        if (member == null)
            return places;
        AddPlace(places, member);
        var type = method.DeclaringType.MemberDefinition as TypeDefinition;
        if (!method.IsConstructor || type == null)
            return places;
        AddPlace(places, type);
        var parts = Field(type, "class_partial_parts") as IEnumerable;
        foreach (object part in parts ?? new object[0])
            AddPlace(places, (MemberCore)part);
        return places;
    }

    // ---- calls ----

    static bool IsOverride(MemberCore member, MethodSpec of) {
        var method = member as MethodCore;

        return method != null && (method.ModFlags & Modifiers.OVERRIDE) != 0 &&
               method.MemberName.Name == of.Name &&
               method.ParameterInfo.Count == of.Parameters.Count;
    }

    static IEnumerable<MemberCore> MembersOf(TypeSpec type) {
        var definition = type.MemberDefinition as TypeDefinition;

        return definition == null ? Enumerable.Empty<MemberCore>()
                                  : definition.Members;
    }

    // The compiler calls what declared a method first; a reader means the
    // one that the type in front of the dot has.
    static SortedSet<string> Meant(MethodSpec method, TypeSpec receiver) {
        var places = new SortedSet<string>(StringComparer.Ordinal);

        if ((method.Modifiers & (Modifiers.VIRTUAL | Modifiers.ABSTRACT |
                                 Modifiers.OVERRIDE)) == 0 ||
            method.DeclaringType.IsInterface)
            return PlacesOf(method);
        var parameter = receiver as TypeParameterSpec;
        if (parameter != null)
            receiver = parameter.BaseType;
        for (TypeSpec type = receiver; type != null; type = type.BaseType) {
            foreach (MemberCore member in MembersOf(type).Where(
                         m => IsOverride(m, method)))
                AddPlace(places, member);
            if (places.Count > 0)
                return places;
            if (type.MemberDefinition == method.DeclaringType.MemberDefinition)
                break;
        }
        return PlacesOf(method);
    }

    // What the compiler adds, as to a loop, has no name where it stands.
    static bool IsWritten(string path, Location at, string name) {
        byte[][] lines = LinesOf(path);
        string text = at.Row <= lines.Length
                          ? Encoding.UTF8.GetString(lines[at.Row - 1])
                          : "";

        return at.Column <= text.Length &&
               text.Substring(at.Column - 1).TrimStart('@').StartsWith(
                   name, StringComparison.Ordinal);
    }

    static void Add(Location at, MethodSpec method, TypeSpec receiver) {
        string path = at.IsNull || at.Column == 0 ? null : PathOf(at);

        if (path == null || method == null ||
            (!method.IsConstructor && !IsWritten(path, at, method.Name)))
            return;
        SortedSet<string> to = Meant(method, receiver);
        rows.Add(path + ":" + at.Row + ":" + ByteColumn(path, at) + "\t" +
                 (to.Count > 0 ? string.Join(",", to) : "-") + "\t" +
                 (method.IsConstructor ? method.DeclaringType.Name : method.Name));
    }

    static void Meet(object at) {
        if (at is Invocation) {
            var group = Field(at, "mg") as MethodGroupExpr;
            if (group == null || group.BestCandidate == null)
                return;
            Expression instance = group.InstanceExpression;
            Add(group.Location, group.BestCandidate,
                instance == null ? group.BestCandidate.DeclaringType
                                 : instance.Type);
        } else if (at is New && at.GetType() == typeof(New)) {
            var made = (New)at;
            if (made.TypeExpression != null)
                Add(made.TypeExpression.Location,
                    (MethodSpec)Field(at, "method"), null);
        } else if (at is ConstructorInitializer &&
                   !at.GetType().Name.StartsWith("Generated")) {
            var initializer = (ConstructorInitializer)at;
            Add(initializer.Location, (MethodSpec)Field(at, "base_ctor"), null);
        }
    }

    static int Main(string[] arguments) {
        root = Path.GetFullPath(arguments[0]).TrimEnd('/') + "/";
        var parser = new CommandLineParser(Console.Error);
        CompilerSettings settings =
            parser.ParseArguments(arguments.Skip(1).ToArray());
        var blocks = new List<object>();

        if (settings == null)
            return 1;
        settings.TabSize = 1;
        settings.Target = Target.Library;
        settings.WarningLevel = 0;
        ModuleContainer module = Compile(settings, blocks);
        blocks.Add(module);
        Crawl(blocks, Meet);
        foreach (string row in rows)
            Console.WriteLine(row);
        return 0;
    }
}
